import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../commands/organization/caller.ts';
import { HttpError } from '../http-errors.ts';
import { countHeader } from '../request.ts';
import type { Challenges } from './challenge.ts';

/** Exactly `Bearer`, one space and a token in RFC 6750's characters. Node has trimmed the value. */
const BEARER = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/;

/** Returns the caller of a token; null if it is not valid. @param request the request with the token */
export type Authenticate = (token: string, request: IncomingMessage) => Caller | null | Promise<Caller | null>;

/** Returns the caller of the request's credential. @throws HttpError 401 without a valid credential */
export async function callerOf(
  request: IncomingMessage,
  authenticate: Authenticate,
  challenge: Challenges,
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
  const lookup = authenticate(token, request);
  const caller = lookup instanceof Promise ? await withWaitTime(lookup) : lookup;
  if (caller !== null) return caller;
  throw unauthorized('The token is unknown, expired or revoked. Create a new one.', challenge.invalid(request));
}

/** Returns the caller with the time that the lookup took. */
async function withWaitTime(lookup: Promise<Caller | null>): Promise<Caller | null> {
  const startedAt = Date.now();
  const caller = await lookup;
  return caller && { ...caller, waited_ms: Date.now() - startedAt };
}

const unauthorized = (message: string, challenge: string) =>
  new HttpError(401, 'unauthorized', message, { 'WWW-Authenticate': challenge });
