# This image doesn't include Chromium, because its sandbox needs more than Docker's default limits allow. Print HTML reports
# instead of PDF.
#
# Before you raise a tag, check that https://hub.docker.com/_/node lists node:<version>-slim. `npm view node@22 version`
# lists Node.js versions too.
FROM node:22.23.3-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.trail.json ./
COPY scripts/build.mjs scripts/
COPY bin bin
COPY src src
# The commit that the version names, as 0.1.0+a816aad8: docker build --build-arg COMMIT=$(git rev-parse HEAD) .
ARG COMMIT
RUN node scripts/build.mjs && npm prune --omit=dev --ignore-scripts

FROM node:22.23.3-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin bin
RUN install --directory --owner=node --group=node /data \
    && ln -s /app/bin/veritrail.js /usr/local/bin/veritrail
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Checks liveness, not readiness: after an upgrade, building read models may take longer than any start period.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["node", "bin/healthcheck.js"]
CMD ["node", "bin/service.js"]
