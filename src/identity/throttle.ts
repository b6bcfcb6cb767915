import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type ClientInfo, networkOf } from './client-info.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { updateAtomically } from './update-atomically.ts';

/** What attempts are counted for, and how many may fail in a row before each costs a wait. */
export interface Gate {
  name: string;
  free: number;
  /** How long failures are remembered. */
  keepMs: number;
  /** A success clears no failures: for what somebody may succeed at as often as they like. */
  remembers?: true;
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
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
const MOST_WAITING = 1_000;

/** Attempts on one account, or on a name that no account has. */
export const accountGate = (name: string): Gate => ({ name: `account:${name}`, free: 5, keepMs: 24 * 60 * MINUTE_MS });
/** Attempts from one network, behind which a whole office may sit. */
const networkGate = (name: string): Gate => ({ name: `network:${name}`, free: 60, keepMs: 60 * MINUTE_MS });

/**
 * Failures to sign in, kept in the account store: they outlast restarts, and all instances count together. An attempt
 * counts as failed from its beginning, so that many at once are no more guesses than one after the other.
 */
export class Throttle {
  private readonly attempts = new KeyedQueue(MOST_WAITING);
  private readonly changes = new KeyedQueue(MOST_WAITING);

  constructor(private readonly options: { accounts: AccountStore; now: () => Date }) {}

  /**
   * Lets somebody try `work`, which answers whether they were right. At one gate they do so one after the other: who is
   * right several times at once is not taken for somebody who guesses.
   * @param clientInfo whose network is counted too, and cleared of this attempt alone when it was right; null for who is
   *   known by more than an address, so that strangers who share it do not keep them out
   * @throws Refusal rate_limited, and `work` was not tried
   */
  attempt(gate: Gate, clientInfo: ClientInfo | null, work: () => Promise<boolean>): Promise<boolean> {
    const networks = clientInfo === null ? [] : [networkGate(networkOf(clientInfo.address))];
    return this.attempts.take(gate.name, async () => {
      await this.enter([gate, ...networks]);
      let good: boolean;
      try {
        good = await work();
      } catch (error) {
        for (const one of [gate, ...networks]) await this.giveBack(one);
        throw error;
      }
      if (good) {
        await turn();
        if (!gate.remembers) await this.options.accounts.remove('attempts', idOf(gate));
        for (const one of gate.remembers ? [gate, ...networks] : networks) await this.giveBack(one);
      }
      return good;
    });
  }

  private async enter(gates: readonly Gate[]): Promise<void> {
    for (const gate of gates) {
      this.refuseWaiting(this.current(await this.options.accounts.get<Attempts>('attempts', idOf(gate))));
    }
    for (const gate of gates) {
      await this.recount(gate, (found) => {
        this.refuseWaiting(found);
        return this.oneMore(gate, found);
      });
    }
  }

  /** The attempt did not fail after all. */
  private giveBack(gate: Gate): Promise<void> {
    return this.recount(gate, (found) => {
      const failures = Math.max(0, (found?.failures ?? 0) - 1);
      return { failures, free_at: this.inMs(0), expires_at: found?.expires_at ?? this.inMs(0) };
    });
  }

  private oneMore(gate: Gate, found: Attempts | null): Count {
    const failures = (found?.failures ?? 0) + 1;
    const past = failures - gate.free;
    const free_at = this.inMs(past < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** past));
    // Counted from the first, so that a few slips a day never add up; once there are too many, from the last.
    const expires_at = past < 0 && found !== null ? found.expires_at : this.inMs(gate.keepMs);
    return { failures, free_at, expires_at };
  }

  /** Puts another count in the place of the one found, which no other writer changed meanwhile. */
  private recount(gate: Gate, next: (found: Attempts | null) => Count): Promise<void> {
    return this.changes.take(gate.name, async () => {
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

  private inMs(ms: number): string {
    return new Date(this.options.now().getTime() + ms).toISOString();
  }

  private refuseWaiting(found: Attempts | null): void {
    const wait = found === null ? 0 : Date.parse(found.free_at) - this.options.now().getTime();
    if (wait > 0) throw tooMany(Math.ceil(wait / 1_000));
  }
}

/** People type passwords where their address should be: what was tried is kept as a hash only. */
function idOf(gate: Gate): string {
  return hash('sha256', gate.name, 'hex');
}

function tooMany(seconds: number): Refusal {
  const wait = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return new Refusal('rate_limited', `Too many attempts failed: wait ${wait}, then try again.`, {
    retry_after_seconds: seconds,
  });
}
