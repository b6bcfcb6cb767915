import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type ClientInfo, networkOf } from './client-info.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { updateAtomically } from './update-atomically.ts';

/** What attempts are counted for, and how many may fail in a row before each costs a wait. */
export interface AttemptLimit {
  name: string;
  freeFailures: number;
  /** How long failures are remembered. */
  retentionMs: number;
  /** A success clears no failures: for what somebody may succeed at as often as they like. */
  keepsFailuresOnSuccess?: true;
}

interface Count {
  failures: number;
  /** Nothing is let through before. */
  free_at: string;
  expires_at: string;
}

type Attempts = AccountRecord & Count;

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = MINUTE_MS / 2;
const MAX_WAIT_MS = 15 * MINUTE_MS;
const MAX_WAITING_ATTEMPTS = 1_000;

/** Attempts on one account, or on a name that no account has. */
export const accountLimit = (name: string): AttemptLimit => ({
  name: `account:${name}`,
  freeFailures: 5,
  retentionMs: 24 * 60 * MINUTE_MS,
});
/** Attempts from one network, behind which a whole office may sit. */
const networkLimit = (name: string): AttemptLimit => ({
  name: `network:${name}`,
  freeFailures: 60,
  retentionMs: 60 * MINUTE_MS,
});

/**
 * Failures to sign in, kept in the account store: they outlast restarts, and all instances count together. An attempt
 * counts as failed from its beginning, so that many at once are no more guesses than one after the other.
 */
export class Throttle {
  private readonly attempts = new KeyedQueue(MAX_WAITING_ATTEMPTS);
  private readonly changes = new KeyedQueue(MAX_WAITING_ATTEMPTS);

  constructor(private readonly options: { accounts: AccountStore; now: () => Date }) {}

  /**
   * Lets somebody try `work`, which answers whether they were right. At one gate they do so one after the other: who is
   * right several times at once is not taken for somebody who guesses.
   * @param clientInfo whose network is counted too, and cleared of this attempt alone when it was right; null for who is
   *   known by more than an address, so that strangers who share it do not keep them out
   * @throws Refusal rate_limited, and `work` was not tried
   */
  attempt(gate: AttemptLimit, clientInfo: ClientInfo | null, work: () => Promise<boolean>): Promise<boolean> {
    const networks = clientInfo === null ? [] : [networkLimit(networkOf(clientInfo.address))];
    return this.attempts.run(gate.name, async () => {
      await this.countAttempt([gate, ...networks]);
      let good: boolean;
      try {
        good = await work();
      } catch (error) {
        for (const one of [gate, ...networks]) await this.uncount(one);
        throw error;
      }
      if (good) {
        await turn();
        if (!gate.keepsFailuresOnSuccess) await this.options.accounts.remove('attempts', idOf(gate));
        for (const one of gate.keepsFailuresOnSuccess ? [gate, ...networks] : networks) await this.uncount(one);
      }
      return good;
    });
  }

  private async countAttempt(gates: readonly AttemptLimit[]): Promise<void> {
    for (const gate of gates) {
      this.refuseWhileWaiting(this.current(await this.options.accounts.get<Attempts>('attempts', idOf(gate))));
    }
    for (const gate of gates) {
      await this.updateCount(gate, (found) => {
        this.refuseWhileWaiting(found);
        return this.incremented(gate, found);
      });
    }
  }

  /** The attempt did not fail after all. */
  private uncount(gate: AttemptLimit): Promise<void> {
    return this.updateCount(gate, (found) => {
      const failures = Math.max(0, (found?.failures ?? 0) - 1);
      return { failures, free_at: this.timeIn(0), expires_at: found?.expires_at ?? this.timeIn(0) };
    });
  }

  private incremented(gate: AttemptLimit, found: Attempts | null): Count {
    const failures = (found?.failures ?? 0) + 1;
    const past = failures - gate.freeFailures;
    const free_at = this.timeIn(past < 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** past));
    // Counted from the first, so that a few slips a day never add up; once there are too many, from the last.
    const expires_at = past < 0 && found !== null ? found.expires_at : this.timeIn(gate.retentionMs);
    return { failures, free_at, expires_at };
  }

  /** Puts another count in the place of the one found, which no other writer changed meanwhile. */
  private updateCount(gate: AttemptLimit, next: (found: Attempts | null) => Count): Promise<void> {
    return this.changes.run(gate.name, async () => {
      // Calls go between: an embedded store writes within this turn.
      await turn();
      await updateAtomically<Attempts>(this.options.accounts, 'attempts', idOf(gate), (stored) => ({
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

  private refuseWhileWaiting(found: Attempts | null): void {
    const wait = found === null ? 0 : Date.parse(found.free_at) - this.options.now().getTime();
    if (wait > 0) throw tooMany(Math.ceil(wait / 1_000));
  }
}

/** People type passwords where their address should be: what was tried is kept as a hash only. */
function idOf(gate: AttemptLimit): string {
  return hash('sha256', gate.name, 'hex');
}

function tooMany(seconds: number): Refusal {
  const wait = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return new Refusal('rate_limited', `Too many attempts failed: wait ${wait}, then try again.`, {
    retry_after_seconds: seconds,
  });
}
