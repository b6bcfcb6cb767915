import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyedQueue } from '../../commands/engine/keyed-queue.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { type ClientInfo, networkOf } from '../client-info.ts';
import { updateAtomically } from '../update-atomically.ts';
import { TOO_MANY_SIGN_INS } from './passwords.ts';

/**
 * A limit on failed attempts. From failure number `freeFailures` on, each failure makes the next attempt wait, twice
 * as long each time.
 */
export interface AttemptLimit {
  name: string;
  freeFailures: number;
  /** Failures are forgotten after this time. */
  retentionMs: number;
  /** A success doesn't clear the failures. For actions that anybody can succeed at as often as they like. */
  keepsFailuresOnSuccess?: true;
}

interface Count {
  failures: number;
  /** Attempts before this time are refused. */
  free_at: string;
  expires_at: string;
}

type Attempts = AccountRecord & Count;

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = MINUTE_MS / 2;
const MAX_WAIT_MS = 15 * MINUTE_MS;
const MAX_WAITING_ATTEMPTS = 1_000;

/** Limits attempts on one account, or on an email address that has no account. */
export const accountLimit = (name: string): AttemptLimit => ({
  name: `account:${name}`,
  freeFailures: 5,
  retentionMs: 24 * 60 * MINUTE_MS,
});
/** Limits attempts from one network, which a whole office may share. */
const networkLimit = (name: string): AttemptLimit => ({
  name: `network:${name}`,
  freeFailures: 60,
  retentionMs: 60 * MINUTE_MS,
});

/**
 * Limits failed attempts, such as wrong passwords and codes. Counts are in the account store: they survive restarts,
 * and all instances share them. An
 * attempt counts as failed until it succeeds, so parallel attempts allow no more guesses than serial ones.
 */
export class Throttle {
  private readonly attempts = new KeyedQueue(MAX_WAITING_ATTEMPTS, TOO_MANY_SIGN_INS);
  private readonly countUpdates = new KeyedQueue(MAX_WAITING_ATTEMPTS, TOO_MANY_SIGN_INS);

  constructor(private readonly options: { accounts: AccountStore; now: () => Date }) {}

  /**
   * Runs `work`, which returns true for a right password or code. Attempts of one limit run one after another, so
   * several right ones at once don't look like guesses.
   * @param clientInfo its network is limited too; null for a remembered browser, which strangers on the same
   *   network must not lock out
   * @throws Refusal rate_limited; `work` is then not run
   */
  attempt(limit: AttemptLimit, clientInfo: ClientInfo | null, work: () => Promise<boolean>): Promise<boolean> {
    const networks = clientInfo === null ? [] : [networkLimit(networkOf(clientInfo.address))];
    return this.attempts.run(limit.name, async () => {
      await this.countAttempt([limit, ...networks]);
      let succeeded: boolean;
      try {
        succeeded = await work();
      } catch (error) {
        for (const counter of [limit, ...networks]) await this.decrement(counter);
        throw error;
      }
      if (succeeded) await this.recordSuccess(limit, networks);
      return succeeded;
    });
  }

  /** Removes the attempt's failure and, unless the limit keeps them, all earlier ones of the limit. */
  private async recordSuccess(limit: AttemptLimit, networks: readonly AttemptLimit[]): Promise<void> {
    await turn();
    if (limit.keepsFailuresOnSuccess) await this.decrement(limit);
    else await this.options.accounts.remove('attempts', idOf(limit));
    for (const network of networks) await this.decrement(network);
  }

  private async countAttempt(limits: readonly AttemptLimit[]): Promise<void> {
    for (const limit of limits) {
      this.refuseWhileWaiting(this.current(await this.options.accounts.get<Attempts>('attempts', idOf(limit))));
    }
    for (const limit of limits) {
      await this.updateCount(limit, (attempts) => {
        this.refuseWhileWaiting(attempts);
        return this.incrementedCount(limit, attempts);
      });
    }
  }

  /** Removes one failure: the attempt did not fail. */
  private decrement(limit: AttemptLimit): Promise<void> {
    return this.updateCount(limit, (attempts) => {
      const failures = Math.max(0, (attempts?.failures ?? 0) - 1);
      return { failures, free_at: this.timeIn(0), expires_at: attempts?.expires_at ?? this.timeIn(0) };
    });
  }

  private incrementedCount(limit: AttemptLimit, attempts: Attempts | null): Count {
    const failures = (attempts?.failures ?? 0) + 1;
    const excessFailures = failures - limit.freeFailures;
    const free_at = this.timeIn(excessFailures < 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** excessFailures));
    // Retention starts at the first failure, so a few slips a day never add up. Above the limit it starts at the last.
    const expires_at = excessFailures < 0 && attempts !== null ? attempts.expires_at : this.timeIn(limit.retentionMs);
    return { failures, free_at, expires_at };
  }

  /** Updates a count atomically. */
  private updateCount(limit: AttemptLimit, next: (attempts: Attempts | null) => Count): Promise<void> {
    return this.countUpdates.run(limit.name, async () => {
      // Lets waiting calls run first: an embedded store writes synchronously.
      await turn();
      await updateAtomically<Attempts>(this.options.accounts, 'attempts', idOf(limit), (stored) => ({
        ...next(this.current(stored)),
      }));
    });
  }

  private current(stored: Attempts | null): Attempts | null {
    return stored !== null && stored.expires_at > this.options.now().toISOString() ? stored : null;
  }

  private timeIn(ms: number): string {
    return new Date(this.options.now().getTime() + ms).toISOString();
  }

  private refuseWhileWaiting(attempts: Attempts | null): void {
    const wait = attempts === null ? 0 : Date.parse(attempts.free_at) - this.options.now().getTime();
    if (wait > 0) throw tooMany(Math.ceil(wait / 1_000));
  }
}

/** Hashes the name: it can contain the email address as typed, and people sometimes type their password there. */
function idOf(limit: AttemptLimit): string {
  return hash('sha256', limit.name, 'hex');
}

function tooMany(seconds: number): Refusal {
  const wait = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return new Refusal('rate_limited', `Too many failed attempts. Wait ${wait}, then try again.`, {
    retry_after_seconds: seconds,
  });
}
