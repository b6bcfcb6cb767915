import type { IncomingMessage } from 'node:http';
import type { Caller } from '../commands/caller.ts';
import type { Challenges } from './challenge.ts';
import { HttpError } from './http-errors.ts';
import { countHeader } from './request.ts';

/** Exactly `Bearer`, one space and a token of RFC 6750's characters; node has cut white space around the value. */
const BEARER = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/;

/** @param request that brought it */
export type Authenticate = (token: string, request: IncomingMessage) => Caller | null | Promise<Caller | null>;

/** The caller behind the request's credential. @throws HttpError 401 when there is none that is good */
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
  // Node keeps the first of several, and a proxy may have judged by another.
  if (token === undefined || countHeader('authorization', request.rawHeaders) > 1) {
    const message = 'The Authorization header must be exactly "Bearer", one space and the token, and be sent once.';
    throw unauthorized(message, challenge.invalid(request));
  }
  const lookup = authenticate(token, request);
  const caller = lookup instanceof Promise ? await withWaitTime(lookup) : lookup;
  if (caller !== null) return caller;
  throw unauthorized('The token is unknown, expired or revoked: make a new one.', challenge.invalid(request));
}

/** The caller, who is told how long it had to wait. */
async function withWaitTime(lookup: Promise<Caller | null>): Promise<Caller | null> {
  const startedAt = Date.now();
  const caller = await lookup;
  return caller && { ...caller, waited_ms: Date.now() - startedAt };
}

const unauthorized = (message: string, challenge: string) =>
  new HttpError(401, 'unauthorized', message, { 'WWW-Authenticate': challenge });
