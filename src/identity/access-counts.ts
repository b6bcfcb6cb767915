import { LRUCache } from 'lru-cache';
import type { AccessLogEntry } from './access-log-entry.ts';

/** What may be counted at once, whoever it is that makes it happen. */
const MAX_COUNTS = 10_000;
/** Accounts and tokens that are named among an hour's refusals of an organization; the others are counted together. */
const MAX_NAMED_ACTORS = 20;
/** How often a token's use is written, once its day has a row. */
const REWRITE_INTERVAL_MS = 60_000;

/** So many of the same in one hour or day. */
export interface AccessCount {
  key: string;
  entry: AccessLogEntry;
  /** When the hour or day begins. */
  periodStart: number;
  count: number;
  first: number;
  last: number;
}

/** Counts in memory what is too frequent to be written each time. */
export class AccessCounts {
  /** By what is counted, in the hour or day that it was last seen in. */
  private readonly counts = new Map<string, AccessCount>();
  /** Those of earlier ones. */
  private readonly ended: AccessCount[] = [];
  /** When one was last taken to be written. */
  private readonly taken = new LRUCache<string, number>({ max: MAX_COUNTS });

  /**
   * One more. `what` and the period that `now` is in tell what is counted together.
   * @param always makes room where there is none: for the few that are of nobody in particular
   * @returns what it was counted in; null when there is no room for another one
   */
  add(key: string, periodMs: number, now: number, entry: () => AccessLogEntry, always = false): AccessCount | null {
    const counted = this.counts.get(key);
    // Calls come here, each of them: nothing is put together to find a count that is there.
    if (counted !== undefined && now < counted.periodStart + periodMs) {
      counted.count += 1;
      counted.last = now;
      return counted;
    }
    if (this.size >= MAX_COUNTS && !always) return null;
    if (counted !== undefined) this.ended.push(counted);
    const first = { key, entry: entry(), periodStart: now - (now % periodMs), count: 1, first: now, last: now };
    this.counts.set(key, first);
    return first;
  }

  /** The number of counts that are kept. */
  get size(): number {
    return this.counts.size + this.ended.length;
  }

  /** Takes out what is to be written now: all, or what a minute may not keep waiting. */
  take(now: number, all: boolean): AccessCount[] {
    const due = [...this.counts.values()].filter(
      (one) =>
        all ||
        one.entry.event_type !== 'TOKEN_USED' ||
        now - (this.taken.get(keyOf(one)) ?? -Infinity) >= REWRITE_INTERVAL_MS,
    );
    for (const one of due) {
      this.counts.delete(one.key);
      this.taken.set(keyOf(one), now);
    }
    return [...this.ended.splice(0), ...due];
  }

  /** Puts back what could not be written. */
  restore(counted: AccessCount): void {
    this.taken.delete(keyOf(counted));
    const newer = this.counts.get(counted.key);
    if (newer !== undefined && newer.periodStart !== counted.periodStart) return void this.ended.push(counted);
    const { count, last } = newer ?? { count: 0, last: counted.last };
    this.counts.set(counted.key, { ...counted, count: counted.count + count, last: Math.max(counted.last, last) });
  }
}

const keyOf = ({ key: what, periodStart: since }: AccessCount) => `${what} ${since}`;

/** Who is named among what is counted: whoever tries many makes no more rows than those of the first few. */
export class NamedActors {
  private readonly periods = new Map<string, Map<string, Set<string>>>();

  /** Whether `who` is one of the first few of this kind in this period. */
  has(period: string, kind: string, who: string | null): boolean {
    if (who === null) return false;
    let kinds = this.periods.get(period);
    if (kinds === undefined) {
      this.periods.clear();
      kinds = new Map();
      this.periods.set(period, kinds);
    }
    const names = kinds.get(kind) ?? new Set();
    kinds.set(kind, names);
    if (names.size < MAX_NAMED_ACTORS) names.add(who);
    return names.has(who);
  }
}
