# No Chromium: its sandbox needs more than Docker's default limits allow. So no PDF is offered; the HTML reports print.
#
# Tags are checked before they are raised: https://hub.docker.com/_/node must list node:<version>-slim. Its versions are
# those of Node.js, which `npm view node@22 version` lists too.
FROM node:22.23.3-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:22.23.3-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY src src
RUN install --directory --owner=node --group=node /data \
    && ln -s /app/bin/veritrail.js /usr/local/bin/veritrail
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Whether the process serves, not whether it is ready: an upgrade may build read models for longer than any start period.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "tsx", "src/main.ts"]
