import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../commands/organization/caller.ts';
import type { RequestContext } from '../request.ts';
import { type Admit, isCredentialRefused } from './admission.ts';

/** Half of the time for which a credential may be cached, so a download ends at most about a second after a revocation. */
const RECHECK_MS = 500;

/**
 * Ends a download if its reader loses access or changes role. It destroys the connection, so that nobody takes the part
 * that arrived for the whole file.
 */
export function cutWhenRevoked(ctx: RequestContext, admit: Admit, caller: Caller, organizationId: string): void {
  // If the client has disconnected already, no 'close' event would stop the checks.
  if (ctx.res.destroyed) return;
  const role = caller.roles.get(organizationId);
  const check = () =>
    admit(ctx.req, true).then(
      (now) => now.roles.get(organizationId) === role,
      // An outage revokes nothing.
      (error: unknown) => !isCredentialRefused(error),
    );
  const timer = setInterval(async () => {
    if (!(await check())) resetConnection(ctx.res);
  }, RECHECK_MS);
  ctx.res.once('close', () => clearInterval(timer));
}

/** Ends a connection so that the operating system sends nothing more of the megabytes that it has buffered. */
function resetConnection(response: ServerResponse): void {
  const socket = response.socket as (Socket & { _parent?: Socket }) | null;
  // A TLS socket can't be reset, but the TCP socket that carries it can.
  (socket?._parent ?? socket)?.resetAndDestroy();
  response.destroy();
}
