import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../commands/caller.ts';
import { networkOf } from '../identity/visitor.ts';
import { HttpError } from './errors.ts';
import type { VisitorOf } from './visitor.ts';

/** How much is counted at most: in a flood of addresses the ones not seen for longest begin anew. */
const KEYS = 20_000;
const MINUTE = 60_000;
/** What the credentials of one account may use together, in shares of one credential. */
const ACCOUNT_SHARE = 5;
/** Requests a minute from one address (IPv6: /64) that have no good credential. */
const STRANGERS_PER_MINUTE = 3_000;

/** When a key's requests so far are paid off. */
interface Debt {
  until: number;
}

/**
 * So many requests a minute for each key: all at once, or evenly. Each one costs its share of the minute; a key that
 * owes a whole minute must wait. (The generic cell rate algorithm of ATM, ITU-T I.371.)
 */
export class RateLimit {
  private readonly debts = new LRUCache<string, Debt>({ max: KEYS });
  private readonly cost: number;

  constructor(
    perMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.cost = MINUTE / perMinute;
  }

  /** Counts a request. Answers in how many milliseconds the next would be let in, or 0 where this one is. */
  take(key: string): number {
    const now = this.now();
    let debt = this.debts.get(key);
    if (debt === undefined) {
      debt = { until: now };
      this.debts.set(key, debt);
    }
    const until = Math.max(debt.until, now) + this.cost;
    // A millionth: the shares of a minute do not always add up to one.
    if (until - now > MINUTE * 1.000001) return until - now - MINUTE;
    debt.until = until;
    return 0;
  }

  /** How many keys are counted just now. */
  get size(): number {
    return this.debts.size;
  }
}

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
  const strangers = new RateLimit(STRANGERS_PER_MINUTE, now);
  const stranger = (request: IncomingMessage) => refuse(strangers.take(networkOf(visitorOf(request).address)));
  if (perMinute === null) return { stranger, known: () => undefined };
  const credentials = new RateLimit(perMinute, now);
  const accounts = new RateLimit(perMinute * ACCOUNT_SHARE, now);
  const known: Limits['known'] = ({ account_id, token_id }) => {
    if (token_id !== null) refuse(credentials.take(token_id));
    refuse(accounts.take(account_id));
  };
  return { stranger, known };
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Too many requests: wait ${seconds} s, then repeat, and ask less often.`;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpError(429, 'rate_limited', message, headers, { retry_after_seconds: seconds });
}
