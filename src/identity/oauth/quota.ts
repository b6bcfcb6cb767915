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
  countOrWaitSeconds(key: string): number {
    const waitMs = Math.max(this.perKey.waitMs(key), this.total.waitMs(''));
    if (waitMs > 0) return Math.ceil(waitMs / 1_000);
    this.perKey.countOrWaitMs(key);
    this.total.countOrWaitMs('');
    return 0;
  }
}
