import type { IncomingMessage } from 'node:http';
import { type Caller, withConfirmedRoles } from '../commands/caller.ts';
import { type Authenticate, callerOf } from './authentication.ts';
import { challenges } from './challenge.ts';
import { HttpError } from './http-errors.ts';
import { originGuard, refuseEmbedding } from './origin.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Lets a request in, or throws the HttpError that it is answered with.
 * @param again of a request that was let in before: it is not counted a second time, and no limit hides what became of it
 */
export type Admit = (request: IncomingMessage, isRecheck?: boolean) => Promise<Caller>;

interface AdmissionOptions {
  baseUrl: string;
  authenticate: Authenticate;
  limits: RateLimits;
  /** Other origins whose pages may ask. */
  allowedOrigins?: ReadonlySet<string> | undefined;
}

/** Whom a request's cookie stands for; null where nobody has signed in by it. */
export type SessionCaller = (request: IncomingMessage) => Promise<Caller | null>;

/**
 * What every call by a credential passes, in this order: Host and Origin, the credential, how often. A good credential is
 * never refused for what others at its address do: behind a proxy that is not trusted, all have one address.
 * @param sessions for addresses that people open in a browser, too: a GET without an Authorization header is let in by the
 * session of the pages. Nothing else is: browsers send the cookie with links of other sites
 */
export function admission(options: AdmissionOptions, sessions?: SessionCaller): Admit {
  const admit = admissionWithOlderRoles(options, sessions);
  return async (request, isRecheck) => withConfirmedRoles(await admit(request, isRecheck));
}

/**
 * The same for addresses that ask `confirmed` themselves for whatever is more than a read of today: a caller may come with
 * roles that the log confirmed some seconds ago.
 */
export function admissionWithOlderRoles(options: AdmissionOptions, sessions?: SessionCaller): Admit {
  const { authenticate, limits } = options;
  const guard = originGuard(options.baseUrl, options.allowedOrigins);
  const challenge = challenges(options.baseUrl);
  return async (request, isRecheck = false) => {
    guard(request);
    let caller: Caller | null;
    try {
      caller = sessions !== undefined && isPlainRead(request) ? await callerOfSession(request, sessions) : null;
      caller ??= await callerOf(request, authenticate, challenge);
    } catch (error) {
      if (!isRecheck && error instanceof HttpError && error.status === 401) limits.countStranger(request);
      throw error;
    }
    if (!isRecheck) limits.countCaller(caller);
    return caller;
  };
}

const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.authorization === undefined;

async function callerOfSession(request: IncomingMessage, sessions: SessionCaller): Promise<Caller | null> {
  refuseEmbedding(request);
  return sessions(request);
}
