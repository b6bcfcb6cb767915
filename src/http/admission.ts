import type { IncomingMessage } from 'node:http';
import type { Caller } from '../commands/caller.ts';
import { type Authenticate, callerOf } from './authentication.ts';
import { challenges } from './challenge.ts';
import { HttpError } from './errors.ts';
import type { Limits } from './limits.ts';
import { originGuard } from './origin.ts';

/** Lets a request in, or throws the HttpError that it is answered with. */
export type Admit = (request: IncomingMessage) => Promise<Caller>;

/**
 * What every call by a credential passes, in this order: Host and Origin, the credential, how often. A good credential is
 * never refused for what others at its address do: behind a proxy that is not trusted, all have one address.
 */
export function admission(parts: { baseUrl: string; authenticate: Authenticate; limits: Limits }): Admit {
  const { authenticate, limits } = parts;
  const guard = originGuard(parts.baseUrl);
  const challenge = challenges(parts.baseUrl);
  return async (request) => {
    guard(request);
    let caller: Caller;
    try {
      caller = await callerOf(request, authenticate, challenge);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) limits.stranger(request);
      throw error;
    }
    limits.known(caller);
    return caller;
  };
}

/** Whom a request's cookie stands for; null where nobody has signed in by it. */
export type SessionCaller = (request: IncomingMessage) => Promise<Caller | null>;

/**
 * The same for addresses that only read and that people open in a browser, too: without an Authorization header the session of
 * the pages counts. Only a GET may be let in by it: browsers send the cookie with links of other sites.
 */
export function readingAdmission(
  parts: { baseUrl: string; limits: Limits },
  admit: Admit,
  sessions: SessionCaller,
): Admit {
  const guard = originGuard(parts.baseUrl);
  return async (request) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || request.headers.authorization !== undefined) return admit(request);
    guard(request);
    const caller = await sessions(request);
    if (caller === null) return admit(request);
    parts.limits.known(caller);
    return caller;
  };
}
