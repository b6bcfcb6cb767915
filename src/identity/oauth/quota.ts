import { RateLimit } from '../rate-limit.ts';

/** So many deeds within a stretch of time: of each key, and of all together. */
export class Quota {
  private readonly each: RateLimit;
  private readonly all: RateLimit;

  constructor(most: { each: number; all: number; ms: number }, now: () => Date) {
    const time = () => now().getTime();
    this.each = new RateLimit(most.each, most.ms, time);
    this.all = new RateLimit(most.all, most.ms, time);
  }

  /** Counts a deed. Answers in how many seconds another may be tried; 0 where this one may be done. */
  take(key: string): number {
    const wait = Math.max(this.each.wait(key), this.all.wait(''));
    if (wait > 0) return Math.ceil(wait / 1_000);
    this.each.take(key);
    this.all.take('');
    return 0;
  }
}
