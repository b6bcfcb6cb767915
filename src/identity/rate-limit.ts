import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

/** The number of keys counted. In a flood of keys, those not used for longest are forgotten. */
const MAX_KEYS = 20_000;

/** The time at which the calls of a key no longer count. */
interface Debt {
  until: number;
}

/**
 * Limits the calls of each key in a period, such as 60 in a minute, at once or spread evenly. Each call costs its
 * share of the period, here one second. A key that has used up a whole period must wait. This is the generic cell rate
 * algorithm (ITU-T I.371). Each process counts on its own.
 */
export class RateLimit {
  /** Limited by size, because `max` would reserve memory for all keys, 0.4 MB. */
  private readonly debts = new LRUCache<string, Debt>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
  private readonly costMs: number;

  /** @param now milliseconds of any clock */
  constructor(
    maxCalls: number,
    private readonly periodMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.costMs = periodMs / maxCalls;
  }

  /**
   * Counts a call if it is allowed. Returns 0 then, otherwise the milliseconds to wait.
   * @param calls counted for this one, which is allowed if one of them is
   */
  countOrWaitMs(key: string, calls = 1): number {
    const now = this.now();
    let debt = this.debts.get(key);
    if (debt === undefined) {
      debt = { until: now };
      this.debts.set(key, debt);
    }
    const waitMs = this.remainingMs(debt, now);
    if (waitMs === 0) debt.until = Math.max(debt.until, now) + this.costMs * calls;
    return waitMs;
  }

  /** Returns the same as `countOrWaitMs`, without counting. */
  waitMs(key: string): number {
    const debt = this.debts.get(key);
    return debt === undefined ? 0 : this.remainingMs(debt, this.now());
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.debts.size;
  }

  private remainingMs({ until }: Debt, now: number): number {
    const owed = Math.max(until, now) + this.costMs - now;
    // The factor allows for rounding: the shares don't always add up to the period.
    return owed > this.periodMs * 1.000001 ? owed - this.periodMs : 0;
  }
}
