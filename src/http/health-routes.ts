import type Router from '@koa/router';
import type { Caller } from '../commands/caller.ts';
import { MCP_PATH } from '../identity/oauth/addresses.ts';
import { singleFlight } from '../identity/single-flight.ts';
import type { Admit } from './admission.ts';
import { toHttpError, unavailable } from './http-errors.ts';
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
  options: { health(): Promise<Health>; version: string },
  admit: Admit,
): void {
  // Anybody may ask, and each answer costs the stores.
  const health = singleFlight(() => options.health().catch(() => DOWN));
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', async (ctx) => {
    writeHealth(ctx, await health(), {});
  });
  router.get(`${MCP_PATH}/health`, async (ctx) => {
    const [caller, current] = await Promise.all([callerOrNull(admit(ctx.req)), health()]);
    if (caller === null && current.serving) throw unavailable();
    if (caller !== null) ctx.state.account = caller.account_id;
    // A store that is away keeps callers from being known: it is named all the same, and nothing else is.
    const details = caller === null ? { stores: current.stores } : current;
    writeHealth(ctx, current, { version: options.version, ...details });
  });
}

/** The caller; null when that cannot be known. @throws HttpError for a credential that is none */
async function callerOrNull(admitting: Promise<Caller>): Promise<Caller | null> {
  try {
    return await admitting;
  } catch (error) {
    if (toHttpError(error).status !== 503) throw error;
    return null;
  }
}

const DOWN: Health = { serving: false };

function writeHealth(ctx: RequestContext, { serving }: Health, details: object): void {
  ctx.status = serving ? 200 : 503;
  ctx.body = { status: serving ? 'ok' : 'unavailable', ...details };
}
