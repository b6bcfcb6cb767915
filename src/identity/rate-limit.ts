import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

/** The number of keys counted. In a flood of keys, those not used for longest are forgotten. */
const MAX_KEYS = 20_000;

/** The time until which a key's calls so far are charged. */
interface Debt {
  until: number;
}

/**
 * Limits the calls of each key in a period, such as 60 in a minute, at once or spread evenly. Each call is charged its
 * share of the period, here one second; a key charged for a whole period must wait. This is the generic cell rate
 * algorithm (ITU-T I.371). Counts are of this process alone.
 */
export class RateLimit {
  private readonly debts = new LRUCache<string, Debt>({ max: MAX_KEYS });
  private readonly cost: number;

  /** @param now milliseconds of any clock */
  constructor(
    maxCalls: number,
    private readonly periodMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.cost = periodMs / maxCalls;
  }

  /** Counts a call if it is allowed. Returns 0 then, otherwise the milliseconds to wait. */
  take(key: string): number {
    const now = this.now();
    let debt = this.debts.get(key);
    if (debt === undefined) {
      debt = { until: now };
      this.debts.set(key, debt);
    }
    const wait = this.owedMs(debt, now);
    if (wait === 0) debt.until = Math.max(debt.until, now) + this.cost;
    return wait;
  }

  /** Returns the same as `take`, without counting. */
  wait(key: string): number {
    const debt = this.debts.get(key);
    return debt === undefined ? 0 : this.owedMs(debt, this.now());
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.debts.size;
  }

  private owedMs({ until }: Debt, now: number): number {
    const owed = Math.max(until, now) + this.cost - now;
    // The factor allows for rounding: the shares don't always add up to the period.
    return owed > this.periodMs * 1.000001 ? owed - this.periodMs : 0;
  }
}
