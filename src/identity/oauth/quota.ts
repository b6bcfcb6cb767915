import { LRUCache } from 'lru-cache';

const KEYS = 10_000;

/**
 * So many deeds within a stretch of time: by key, and of all together. Counted in this process alone; where several run,
 * each lets that many pass.
 */
export class Quota {
  private readonly counts: LRUCache<string, { since: number; count: number }>;

  constructor(
    private readonly most: { each: number; all: number; ms: number },
    private readonly now: () => Date,
  ) {
    this.counts = new LRUCache({ max: KEYS });
  }

  /** Counts a deed. Answers in how many seconds another may be tried; 0 where this one may be done. */
  take(key: string): number {
    const { each, all } = this.most;
    const own = this.counter(`key ${key}`);
    const total = this.counter('all');
    const full = own.count >= each ? own : total.count >= all ? total : null;
    if (full !== null) return Math.max(1, Math.ceil((full.since + this.most.ms - this.now().getTime()) / 1000));
    own.count += 1;
    total.count += 1;
    return 0;
  }

  private counter(name: string): { since: number; count: number } {
    const now = this.now().getTime();
    const known = this.counts.get(name);
    if (known !== undefined && now - known.since < this.most.ms) return known;
    const fresh = { since: now, count: 0 };
    this.counts.set(name, fresh);
    return fresh;
  }
}
