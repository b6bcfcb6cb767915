import type { IncomingMessage } from 'node:http';
import type { Caller } from '../commands/caller.ts';
import { RateLimit } from '../identity/rate-limit.ts';
import { networkOf } from '../identity/visitor.ts';
import type { ClientInfoReader } from './client-info-reader.ts';
import { HttpError } from './http-errors.ts';

const MINUTE_MS = 60_000;
/** What the credentials of one account may use together, in shares of one credential. */
const ACCOUNT_SHARE = 5;
/** Requests a minute from one address (IPv6: /64) that have no good credential. */
const MAX_STRANGER_REQUESTS_PER_MINUTE = 3_000;

/** Who may ask how often. One for all of the service: calls of tools, OAuth and pages are counted together. */
export interface RateLimits {
  /**
   * Counts a request of somebody known: by credential, where there is one, and by account.
   * @throws HttpError 429
   */
  countCaller(caller: Pick<Caller, 'account_id' | 'token_id'>): void;
  /** Counts a request that came without a good credential or session, by address. @throws HttpError 429 */
  countStranger(request: IncomingMessage): void;
}

/** @param perMinute requests a credential; null: as many as it likes */
export function createRateLimits(
  perMinute: number | null,
  readClientInfo: ClientInfoReader,
  now?: () => number,
): RateLimits {
  const strangers = new RateLimit(MAX_STRANGER_REQUESTS_PER_MINUTE, MINUTE_MS, now);
  const stranger = (request: IncomingMessage) =>
    refuseUntil(strangers.take(networkOf(readClientInfo(request).address)));
  if (perMinute === null) return { countStranger: stranger, countCaller: () => undefined };
  const credentials = new RateLimit(perMinute, MINUTE_MS, now);
  const accounts = new RateLimit(perMinute * ACCOUNT_SHARE, MINUTE_MS, now);
  const known: RateLimits['countCaller'] = ({ account_id, token_id }) => {
    if (token_id !== null) refuseUntil(credentials.take(token_id));
    refuseUntil(accounts.take(account_id));
  };
  return { countStranger: stranger, countCaller: known };
}

/** @throws HttpError 429 unless there is nothing to wait for */
export function refuseUntil(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Too many requests: wait ${seconds} s, then repeat, and ask less often.`;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpError(429, 'rate_limited', message, headers, { retry_after_seconds: seconds });
}
