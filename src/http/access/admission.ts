import type { IncomingMessage } from 'node:http';
import { monotonicMs } from '../../clock/monotonic.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { type Caller, hasRecentRights, withConfirmedRoles } from '../../commands/organization/caller.ts';
import { mcpAddressOf } from '../../identity/oauth/addresses.ts';
import type { Authenticator } from '../../identity/tokens/authenticator.ts';
import { HttpError, unavailable } from '../http-errors.ts';
import { countHeader } from '../request.ts';
import { type Challenges, challenges } from './challenge.ts';
import type { ClientInfoReader } from './client-info-reader.ts';
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
  const renew = (request: IncomingMessage): Promise<Caller | null> =>
    admit(request, true).catch((error: unknown) => {
      if (isCredentialRefused(error)) return null;
      throw error instanceof HttpError ? new Refusal('unavailable', error.message) : error;
    });
  const admit: Admit = async (request, isRecheck = false) => {
    guard(request);
    let caller: Caller | null;
    try {
      caller = sessions !== undefined && isPlainRead(request) ? await callerOfSession(request, sessions) : null;
      caller ??= await callerOf(request, authenticate, challenge, isRecheck);
    } catch (error) {
      if (!isRecheck && error instanceof HttpError && error.status === 401) limits.countStranger(request);
      throw error;
    }
    const checkedAt = monotonicMs();
    if (!isRecheck) await limits.admitCaller(caller);
    const read_only = caller.read_only || mcpAddressOf(request.url)?.readOnly === true;
    return Object.assign({}, caller, { read_only, checkedAt, renew: () => renew(request) });
  };
  return admit;
}

/** Returns the same checks, which requests wait for while the service starts. @param waitUntilReady null once it has started */
export function afterStart(admit: Admit, waitUntilReady: () => Promise<void> | null = () => null): Admit {
  return async (request, isRecheck) => {
    const waiting = waitUntilReady();
    if (waiting) await waiting;
    return admit(request, isRecheck);
  };
}

/**
 * Returns the caller again after its call has waited, for a slow body or in a queue: with the rights that it has now.
 * @throws HttpError 401 if its credential has ended
 */
export async function admitAfterWait(admit: Admit, request: IncomingMessage, caller: Caller): Promise<Caller> {
  return hasRecentRights(caller) ? caller : admit(request, true);
}

/** Returns true for the error of a credential or session that is not valid any more. An outage ends none. */
export function isCredentialRefused(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 401 || error.status === 403);
}

const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.authorization === undefined;

async function callerOfSession(request: IncomingMessage, sessions: SessionCaller): Promise<Caller | null> {
  refuseEmbedding(request);
  return sessions(request);
}

/** Exactly `Bearer`, one space and a token in RFC 6750's characters. Node has trimmed the value. */
const BEARER = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/;

/**
 * Returns the caller of a token; null if it is not valid.
 * @param request the request with the token
 * @param isRecheck the request was authenticated before, so it is no further use of the token
 */
export type Authenticate = (
  token: string,
  request: IncomingMessage,
  isRecheck?: boolean,
) => Caller | null | Promise<Caller | null>;

/**
 * Returns how an authenticator looks up the tokens of requests, with the client's address for the access log.
 * @param gateway refuses credentials until it is open
 */
export function authenticateBy(
  authenticator: Pick<Authenticator, 'authenticate'>,
  readClientInfo: ClientInfoReader,
  gateway: { readonly isOpen: boolean },
): Authenticate {
  return (token, request, isRecheck) => {
    if (!gateway.isOpen) throw unavailable();
    const { address } = readClientInfo(request);
    // The user agent of a program names no browser. Every call passes here, and a spread would be slow.
    const withClient = (caller: Caller | null) =>
      caller && Object.assign({}, caller, { clientInfo: { address, agent: '' } });
    const lookup = authenticator.authenticate(token, () => address, isRecheck);
    return lookup instanceof Promise ? lookup.then(withClient) : withClient(lookup);
  };
}

/** Returns the caller of the request's credential. @throws HttpError 401 without a valid credential */
export async function callerOf(
  request: IncomingMessage,
  authenticate: Authenticate,
  challenge: Challenges,
  isRecheck = false,
): Promise<Caller> {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw unauthorized('Send an API token: "Authorization: Bearer <token>".', challenge.missing(request));
  }
  const token = BEARER.exec(header)?.[1];
  // Node keeps the first of several headers; a proxy may have checked another one.
  if (token === undefined || countHeader('authorization', request.rawHeaders) > 1) {
    const message = 'The Authorization header must be exactly "Bearer", one space and the token, and be sent once.';
    throw unauthorized(message, challenge.invalid(request));
  }
  const lookup = authenticate(token, request, isRecheck);
  const caller = lookup instanceof Promise ? await withWaitTime(lookup) : lookup;
  if (caller !== null) return caller;
  throw unauthorized('The token is unknown, expired or revoked. Create a new one.', challenge.invalid(request));
}

async function withWaitTime(lookup: Promise<Caller | null>): Promise<Caller | null> {
  const startedAt = monotonicMs();
  const caller = await lookup;
  return caller && { ...caller, waited_ms: monotonicMs() - startedAt };
}

const unauthorized = (message: string, challenge: string) =>
  new HttpError(401, 'unauthorized', message, { 'WWW-Authenticate': challenge });
