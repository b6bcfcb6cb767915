import type { IncomingMessage } from 'node:http';
import type { Caller } from '../commands/caller.ts';
import { RateLimit } from '../identity/rate-limit.ts';
import { networkOf } from '../identity/visitor.ts';
import { HttpError } from './http-errors.ts';
import type { VisitorOf } from './visitor.ts';

const MINUTE_MS = 60_000;
/** What the credentials of one account may use together, in shares of one credential. */
const ACCOUNT_SHARE = 5;
/** Requests a minute from one address (IPv6: /64) that have no good credential. */
const STRANGERS_PER_MINUTE = 3_000;

/** Who may ask how often. One for all of the service: calls of tools, OAuth and pages are counted together. */
export interface Limits {
  /**
   * Counts a request of somebody known: by credential, where there is one, and by account.
   * @throws HttpError 429
   */
  known(caller: Pick<Caller, 'account_id' | 'token_id'>): void;
  /** Counts a request that came without a good credential or session, by address. @throws HttpError 429 */
  stranger(request: IncomingMessage): void;
}

/** @param perMinute requests a credential; null: as many as it likes */
export function createLimits(perMinute: number | null, visitorOf: VisitorOf, now?: () => number): Limits {
  const strangers = new RateLimit(STRANGERS_PER_MINUTE, MINUTE_MS, now);
  const stranger = (request: IncomingMessage) => refuse(strangers.take(networkOf(visitorOf(request).address)));
  if (perMinute === null) return { stranger, known: () => undefined };
  const credentials = new RateLimit(perMinute, MINUTE_MS, now);
  const accounts = new RateLimit(perMinute * ACCOUNT_SHARE, MINUTE_MS, now);
  const known: Limits['known'] = ({ account_id, token_id }) => {
    if (token_id !== null) refuse(credentials.take(token_id));
    refuse(accounts.take(account_id));
  };
  return { stranger, known };
}

/** @throws HttpError 429 unless there is nothing to wait for */
export function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Too many requests: wait ${seconds} s, then repeat, and ask less often.`;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpError(429, 'rate_limited', message, headers, { retry_after_seconds: seconds });
}
