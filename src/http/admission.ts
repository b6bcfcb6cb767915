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
