import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type Router from '@koa/router';
import { HttpError, methodNotAllowed } from './http-errors.ts';
import { hostGuard } from './origin.ts';
import type { RateLimits } from './rate-limits.ts';
import type { RequestState } from './request.ts';

export const METRICS_PATH = '/metrics';

/** The source of the figures: see src/metrics.ts. */
export interface MetricsSource {
  contentType: string;
  text(): Promise<string>;
}

/** Figures for whoever has the operator's token, from wherever they ask. */
export function metricsRoute(
  router: Router<RequestState>,
  figures: MetricsSource,
  token: string,
  limits: Pick<RateLimits, 'countStranger'>,
): void {
  const expected = digest(`Bearer ${token}`);
  router.get(METRICS_PATH, async (ctx) => {
    // Digests are of one length, and comparing them takes as long whatever was sent.
    if (!timingSafeEqual(digest(ctx.req.headers.authorization ?? ''), expected)) {
      limits.countStranger(ctx.req);
      const message = 'Send the token that METRICS_TOKEN has: "Authorization: Bearer <token>".';
      throw new HttpError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
    }
    ctx.type = figures.contentType;
    ctx.body = await figures.text();
  });
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Figures for whoever is on this machine: only for a server that listens on loopback alone. */
export function metricsListener(figures: MetricsSource): RequestListener {
  // A page whose name was rebound to this machine is not on it.
  const guard = hostGuard('http://localhost');
  return (request, response) => {
    const answer = async () => {
      guard(request);
      if (request.method !== 'GET') throw methodNotAllowed('GET');
      if (request.url !== METRICS_PATH) throw new HttpError(404, 'not_found', `Ask for ${METRICS_PATH}.`);
      const text = await figures.text();
      response.writeHead(200, { 'Content-Type': figures.contentType }).end(text);
    };
    answer().catch((error: unknown) => {
      const { status } = error instanceof HttpError ? error : { status: 500 };
      response.writeHead(status).end();
    });
  };
}
