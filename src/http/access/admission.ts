import type { IncomingMessage } from 'node:http';
import { type Caller, withConfirmedRoles } from '../../commands/organization/caller.ts';
import { HttpError } from '../http-errors.ts';
import { type Authenticate, callerOf } from './bearer-token.ts';
import { challenges } from './challenge.ts';
import { originGuard, refuseEmbedding } from './origin.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Returns the caller of a request that may proceed; throws the HttpError to answer with otherwise.
 * @param isRecheck the request was admitted before. It isn't counted again, and no rate limit hides a revoked credential
 */
export type Admit = (request: IncomingMessage, isRecheck?: boolean) => Promise<Caller>;

interface AdmissionOptions {
  baseUrl: string;
  authenticate: Authenticate;
  limits: RateLimits;
  /** Other origins whose pages may call. */
  allowedOrigins?: ReadonlySet<string> | undefined;
}

/** Returns the caller of a request's session cookie, or null without a signed-in session. */
export type SessionCaller = (request: IncomingMessage) => Promise<Caller | null>;

/**
 * Returns the checks that every call with a credential passes, in this order: Host and Origin, credential, rate limit.
 * A valid credential is never refused for what others at its address do. Behind an untrusted proxy, all have one address.
 * @param sessions for addresses that people also open in a browser: a GET without an Authorization header may use the
 * session cookie. Other requests may not, because browsers send the cookie with links on other sites
 */
export function admission(options: AdmissionOptions, sessions?: SessionCaller): Admit {
  const admit = admissionWithOlderRoles(options, sessions);
  return async (request, isRecheck) => withConfirmedRoles(await admit(request, isRecheck));
}

/**
 * Returns the same checks for addresses that call `confirmed` themselves for anything beyond reads of today. The caller's
 * roles may be some seconds old.
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
