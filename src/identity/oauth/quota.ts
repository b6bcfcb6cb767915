import { RateLimit } from '../rate-limit.ts';

/** Limits calls in a period: those of each key, and all together. */
export class Quota {
  private readonly perKey: RateLimit;
  private readonly total: RateLimit;

  constructor(limits: { perKey: number; total: number; periodMs: number }, now: () => Date) {
    const time = () => now().getTime();
    this.perKey = new RateLimit(limits.perKey, limits.periodMs, time);
    this.total = new RateLimit(limits.total, limits.periodMs, time);
  }

  /** Counts a call if it is allowed. Returns 0 then, otherwise the seconds to wait. */
  take(key: string): number {
    const wait = Math.max(this.perKey.wait(key), this.total.wait(''));
    if (wait > 0) return Math.ceil(wait / 1_000);
    this.perKey.take(key);
    this.total.take('');
    return 0;
  }
}
