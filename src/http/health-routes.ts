import type Router from '@koa/router';
import type { Caller } from '../commands/organization/caller.ts';
import { MCP_PATH } from '../identity/oauth/addresses.ts';
import { singleFlight } from '../identity/single-flight.ts';
import type { Admit } from './access/admission.ts';
import { toHttpError, unavailable } from './http-errors.ts';
import type { RequestContext, RequestState } from './request.ts';

export interface Health {
  /** False if calls cannot be served. */
  serving: boolean;
  /** True if calls are served, but something needs the operator. */
  degraded?: boolean;
  /** The organizations whose events can't be sealed, each with the positions in question. */
  sealStops?: readonly { organization_id: string; from: number; until: number }[];
  [detail: string]: unknown;
}

/**
 * Health checks. `/livez` and `/readyz` are for orchestrators: they need no credential and give no details. The third
 * returns the state of stores and projections to callers. A degraded service stays ready: what degrades one instance,
 * such as a full disk of a database, often degrades all, and reads still work.
 */
export function healthRoutes(
  router: Router<RequestState>,
  options: { health(): Promise<Health>; version: string },
  admit: Admit,
): void {
  // Anybody may call these, and each check costs the stores a read.
  const health = singleFlight(() => options.health().catch(() => DOWN));
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', async (ctx) => {
    const { serving } = await health();
    writeHealth(ctx, { serving }, {});
  });
  router.get(`${MCP_PATH}/health`, async (ctx) => {
    const [caller, current] = await Promise.all([callerOrNull(admit(ctx.req)), health()]);
    if (caller === null && current.serving && !current.degraded) throw unavailable();
    if (caller !== null) ctx.state.account = caller.account_id;
    // If a store is down or the clock is in doubt, no caller can be identified. Then the answer has only their states.
    const { degraded: _degraded, sealStops, ...visible } = current;
    const { stores, clock } = current;
    const details = caller === null ? { stores, clock } : { ...visible, ...sealingStopped(caller, sealStops) };
    writeHealth(ctx, current, { version: options.version, ...details });
  });
}

/** Returns the caller's own organizations whose events can't be sealed. */
function sealingStopped({ roles }: Caller, stops: Health['sealStops'] = []): object {
  const own = stops.filter(({ organization_id }) => roles.has(organization_id));
  if (own.length === 0) return {};
  const details = own.map(({ organization_id, from, until }) => ({
    organization_id,
    from_position: String(from),
    to_position: String(until),
  }));
  return { sealing_stopped: details };
}

/** Returns the caller, or null if the stores can't tell. @throws HttpError for an invalid credential */
async function callerOrNull(admitting: Promise<Caller>): Promise<Caller | null> {
  try {
    return await admitting;
  } catch (error) {
    if (toHttpError(error).status !== 503) throw error;
    return null;
  }
}

const DOWN: Health = { serving: false };

function writeHealth(ctx: RequestContext, { serving, degraded = false }: Health, details: object): void {
  ctx.status = serving ? 200 : 503;
  const status = degraded ? 'degraded' : 'ok';
  ctx.body = { status: serving ? status : 'unavailable', ...details };
}
