import type { IncomingMessage } from 'node:http';
import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { networkOf } from '../../identity/client-info.ts';
import { RateLimit } from '../../identity/rate-limit.ts';
import { HttpError } from '../http-errors.ts';
import type { ClientInfoReader } from './client-info-reader.ts';

const MINUTE_MS = 60_000;
/** All credentials of one account share this many times the limit of one credential. */
const ACCOUNT_SHARE = 5;
/** Requests per minute without a valid credential from one address (IPv6: /64). */
const MAX_STRANGER_REQUESTS_PER_MINUTE = 3_000;

/** The rate limits of the service. Tool calls, OAuth and pages are counted together. */
export interface RateLimits {
  /**
   * Waits for the account's turn in the event loop, even for a refusal: its client may repeat the request at once. Counts
   * the request by credential, if there is one, and by account.
   * @throws HttpError 429
   */
  admitCaller(caller: Pick<Caller, 'account_id' | 'token_id'>): Promise<void> | undefined;
  /** Counts a request without a valid credential or session, by address. @throws HttpError 429 */
  countStranger(request: IncomingMessage): void;
}

/** @param perMinute requests per minute for one credential; null for no limit */
export function createRateLimits(
  perMinute: number | null,
  readClientInfo: ClientInfoReader,
  now?: () => number,
): RateLimits {
  const strangers = new RateLimit(MAX_STRANGER_REQUESTS_PER_MINUTE, MINUTE_MS, now);
  const countStranger = (request: IncomingMessage) =>
    refuseUntil(strangers.countOrWaitMs(networkOf(readClientInfo(request).address)));
  if (perMinute === null) return { countStranger, admitCaller: ({ account_id }) => eventLoopQueue.wait(account_id) };
  const credentials = new RateLimit(perMinute, MINUTE_MS, now);
  const accounts = new RateLimit(perMinute * ACCOUNT_SHARE, MINUTE_MS, now);
  const admitCaller: RateLimits['admitCaller'] = async ({ account_id, token_id }) => {
    await eventLoopQueue.wait(account_id);
    if (token_id !== null) refuseUntil(credentials.countOrWaitMs(token_id));
    refuseUntil(accounts.countOrWaitMs(account_id));
  };
  return { countStranger, admitCaller };
}

/** Refuses a request that must wait. @throws HttpError 429 unless `waitMs` is 0 */
function refuseUntil(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Too many requests. Wait ${seconds} s, then try again, and send fewer requests.`;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpError(429, 'rate_limited', message, headers, { retry_after_seconds: seconds });
}
