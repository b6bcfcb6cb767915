import { LRUCache } from 'lru-cache';
import type { AccessLogEntry } from './access-log-entry.ts';

/** The number of counts kept in memory. A flood of refusals can't grow it. */
const MAX_COUNTS = 10_000;
/** Actors that get a row of their own in a period. All further ones share one row. */
const MAX_FIRST_ACTORS = 20;
/** A token's count is written at most this often. */
const REWRITE_INTERVAL_MS = 60_000;

/** The number of equal entries in one hour or day. */
export interface AccessCount {
  key: string;
  entry: AccessLogEntry;
  /** The start of the hour or day. */
  periodStart: number;
  count: number;
  first: number;
  last: number;
}

/** Counts, in memory, entries that are too frequent to be written one by one. */
export class AccessCounts {
  /** The current count for each key. */
  private readonly counts = new Map<string, AccessCount>();
  /** Counts of earlier periods that are not written yet. */
  private readonly endedPeriods: AccessCount[] = [];
  /** The time when each count was last taken for writing. */
  private readonly takenAt = new LRUCache<string, number>({ max: MAX_COUNTS });

  /**
   * Counts an entry. Entries with the same key in the same period are counted together.
   * @param always ignores MAX_COUNTS, for the few counts that name no actor
   * @returns the count, or null when MAX_COUNTS is reached
   */
  add(key: string, periodMs: number, now: number, entry: () => AccessLogEntry, always = false): AccessCount | null {
    const count = this.counts.get(key);
    // Every call with a token gets here, so finding an existing count allocates nothing.
    if (count !== undefined && now < count.periodStart + periodMs) {
      count.count += 1;
      count.last = now;
      return count;
    }
    if (this.size >= MAX_COUNTS && !always) return null;
    if (count !== undefined) this.endedPeriods.push(count);
    const first = { key, entry: entry(), periodStart: now - (now % periodMs), count: 1, first: now, last: now };
    this.counts.set(key, first);
    return first;
  }

  /** The number of counts in memory. */
  get size(): number {
    return this.counts.size + this.endedPeriods.length;
  }

  /** Removes and returns the counts to write now. Counts of a token's use wait for REWRITE_INTERVAL_MS unless `all`. */
  take(now: number, all: boolean): AccessCount[] {
    const due = [...this.counts.values()].filter(
      (count) =>
        all ||
        count.entry.event_type !== 'TOKEN_USED' ||
        now - (this.takenAt.get(keyOf(count)) ?? -Infinity) >= REWRITE_INTERVAL_MS,
    );
    for (const count of due) {
      this.counts.delete(count.key);
      this.takenAt.set(keyOf(count), now);
    }
    return [...this.endedPeriods.splice(0), ...due];
  }

  /** Puts back a count that could not be written. */
  restore(counted: AccessCount): void {
    this.takenAt.delete(keyOf(counted));
    const newer = this.counts.get(counted.key);
    if (newer !== undefined && newer.periodStart !== counted.periodStart) return void this.endedPeriods.push(counted);
    const { count, last } = newer ?? { count: 0, last: counted.last };
    this.counts.set(counted.key, { ...counted, count: counted.count + count, last: Math.max(counted.last, last) });
  }
}

const keyOf = ({ key, periodStart }: AccessCount) => `${key} ${periodStart}`;

/** Limits how many actors get a row of their own in a period, so that many attempts make few rows. */
export class FirstActors {
  private readonly periods = new Map<string, Map<string, Set<string>>>();

  /** Returns true if `who` is among the first MAX_FIRST_ACTORS of this kind in this period. */
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
    if (names.size < MAX_FIRST_ACTORS) names.add(who);
    return names.has(who);
  }
}
