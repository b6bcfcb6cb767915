import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type Router from '@koa/router';
import { hostGuard } from './access/origin.ts';
import type { RateLimits } from './access/rate-limits.ts';
import { HttpError, methodNotAllowed } from './http-errors.ts';
import type { RequestState } from './request.ts';

export const METRICS_PATH = '/metrics';

/** The source of the metrics: see src/app/metrics.ts. */
export interface MetricsSource {
  contentType: string;
  text(): Promise<string>;
}

/** Serves the metrics to callers with the operator's token, from any address. */
export function metricsRoute(
  router: Router<RequestState>,
  source: MetricsSource,
  token: string,
  limits: Pick<RateLimits, 'countStranger'>,
): void {
  const expected = digest(`Bearer ${token}`);
  router.get(METRICS_PATH, async (ctx) => {
    // Digests have one length, so comparing them takes the same time for any header.
    if (!timingSafeEqual(digest(ctx.req.headers.authorization ?? ''), expected)) {
      limits.countStranger(ctx.req);
      const message = 'Send the token of METRICS_TOKEN: "Authorization: Bearer <token>".';
      throw new HttpError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
    }
    ctx.type = source.contentType;
    ctx.body = await source.text();
  });
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns a listener that serves the metrics without a token. Only for a server that listens on loopback. */
export function metricsListener(source: MetricsSource): RequestListener {
  // Refuses web pages that rebound their host name to this machine.
  const guard = hostGuard('http://localhost');
  return (request, response) => {
    const answer = async () => {
      guard(request);
      if (request.method !== 'GET') throw methodNotAllowed('GET');
      if (request.url !== METRICS_PATH) throw new HttpError(404, 'not_found', `Use ${METRICS_PATH}.`);
      const text = await source.text();
      response.writeHead(200, { 'Content-Type': source.contentType }).end(text);
    };
    answer().catch((error: unknown) => {
      const { status } = error instanceof HttpError ? error : { status: 500 };
      response.writeHead(status).end();
    });
  };
}
