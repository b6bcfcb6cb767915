import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { Caller } from '../commands/caller.ts';
import { MCP_PATH } from './mcp-endpoint.ts';
import type { RequestContext, RequestState } from './request.ts';

export interface Health {
  /** False when calls cannot be served. */
  serving: boolean;
  [detail: string]: unknown;
}

/**
 * Three questions: is the process alive, may it be sent requests (both for orchestrators: no credential, no detail),
 * and, for a caller, how the stores and projections are.
 */
export function healthRoutes(
  router: Router<RequestState>,
  parts: { health(): Promise<Health>; version: string },
  admit: (request: IncomingMessage) => Promise<Caller>,
): void {
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', async (ctx) => {
    answer(ctx, await parts.health().catch(() => DOWN), {});
  });
  router.get(`${MCP_PATH}/health`, async (ctx) => {
    ctx.state.account = (await admit(ctx.req)).account_id;
    const health = await parts.health().catch(() => DOWN);
    answer(ctx, health, { version: parts.version, ...health });
  });
}

const DOWN: Health = { serving: false };

function answer(ctx: RequestContext, { serving }: Health, details: object): void {
  ctx.status = serving ? 200 : 503;
  ctx.body = { status: serving ? 'ok' : 'unavailable', ...details };
}
