import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

/** How much is counted at most: in a flood of keys the ones not seen for longest begin anew. */
const MAX_KEYS = 20_000;

/** When a key's deeds so far are paid off. */
interface Debt {
  until: number;
}

/**
 * So many deeds of each key within a stretch of time: all at once, or evenly. Each one costs its share of the stretch; a key
 * that owes all of it must wait. (The generic cell rate algorithm of ATM, ITU-T I.371.) Counted in this process alone.
 */
export class RateLimit {
  private readonly debts = new LRUCache<string, Debt>({ max: MAX_KEYS });
  private readonly cost: number;

  /** @param now milliseconds of any clock */
  constructor(
    most: number,
    private readonly ms: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.cost = ms / most;
  }

  /** Counts a deed. Answers in how many milliseconds the next would be let in, or 0 where this one is. */
  take(key: string): number {
    const now = this.now();
    let debt = this.debts.get(key);
    if (debt === undefined) {
      debt = { until: now };
      this.debts.set(key, debt);
    }
    const wait = this.owed(debt, now);
    if (wait === 0) debt.until = Math.max(debt.until, now) + this.cost;
    return wait;
  }

  /** What `take` would answer, counting nothing. */
  wait(key: string): number {
    const debt = this.debts.get(key);
    return debt === undefined ? 0 : this.owed(debt, this.now());
  }

  /** How many keys are counted just now. */
  get size(): number {
    return this.debts.size;
  }

  private owed({ until }: Debt, now: number): number {
    const owed = Math.max(until, now) + this.cost - now;
    // A millionth: the shares do not always add up to the whole.
    return owed > this.ms * 1.000001 ? owed - this.ms : 0;
  }
}
