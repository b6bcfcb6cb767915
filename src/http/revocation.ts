import type { Caller } from '../commands/caller.ts';
import type { Admit } from './admission.ts';
import { HttpError } from './http-errors.ts';
import type { RequestContext } from './request.ts';

/** Credentials are themselves read up to a second ago: a file is cut two seconds after its reader lost it. */
const RECHECK_MS = 1_000;

/**
 * Cuts an answer off while it is sent, once its reader would not be let in any more, or not in the same role. The
 * connection is destroyed, so that what has arrived cannot be taken for the whole file.
 */
export function cutWhenRevoked(ctx: RequestContext, admit: Admit, caller: Caller, organizationId: string): void {
  // A client that left while it was let in has closed already: nothing would end the checks.
  if (ctx.res.destroyed) return;
  const role = caller.roles.get(organizationId);
  const check = () =>
    admit(ctx.req, true).then(
      (now) => now.roles.get(organizationId) === role,
      // An outage takes nothing away.
      (error: unknown) => !(error instanceof HttpError && (error.status === 401 || error.status === 403)),
    );
  const timer = setInterval(async () => {
    if (!(await check())) ctx.res.destroy();
  }, RECHECK_MS);
  ctx.res.once('close', () => clearInterval(timer));
}
