import { LRUCache } from 'lru-cache';
import type { AccessLogEntry } from './access-log-entry.ts';

/** What may be counted at once, whoever it is that makes it happen. */
const MOST = 10_000;
/** Accounts and tokens that are named among an hour's refusals of an organization; the others are counted together. */
const MOST_NAMED = 20;
/** How often a token's use is written, once its day has a row. */
const AGAIN_MS = 60_000;

/** So many of the same in one hour or day. */
export interface Counted {
  what: string;
  entry: AccessLogEntry;
  /** When the hour or day begins. */
  since: number;
  count: number;
  first: number;
  last: number;
}

/** Counts in memory what is too frequent to be written each time. */
export class AccessCounts {
  /** By what is counted, in the hour or day that it was last seen in. */
  private readonly counts = new Map<string, Counted>();
  /** Those of earlier ones. */
  private readonly ended: Counted[] = [];
  /** When one was last taken to be written. */
  private readonly taken = new LRUCache<string, number>({ max: MOST });

  /**
   * One more. `what` and the period that `now` is in tell what is counted together.
   * @param always makes room where there is none: for the few that are of nobody in particular
   * @returns what it was counted in; null when there is no room for another one
   */
  add(what: string, periodMs: number, now: number, entry: () => AccessLogEntry, always = false): Counted | null {
    const counted = this.counts.get(what);
    // Calls come here, each of them: nothing is put together to find a count that is there.
    if (counted !== undefined && now < counted.since + periodMs) {
      counted.count += 1;
      counted.last = now;
      return counted;
    }
    if (this.size >= MOST && !always) return null;
    if (counted !== undefined) this.ended.push(counted);
    const first = { what, entry: entry(), since: now - (now % periodMs), count: 1, first: now, last: now };
    this.counts.set(what, first);
    return first;
  }

  /** The number of counts that are kept. */
  get size(): number {
    return this.counts.size + this.ended.length;
  }

  /** Takes out what is to be written now: all, or what a minute may not keep waiting. */
  take(now: number, all: boolean): Counted[] {
    const due = [...this.counts.values()].filter(
      (one) =>
        all || one.entry.event_type !== 'TOKEN_USED' || now - (this.taken.get(keyOf(one)) ?? -Infinity) >= AGAIN_MS,
    );
    for (const one of due) {
      this.counts.delete(one.what);
      this.taken.set(keyOf(one), now);
    }
    return [...this.ended.splice(0), ...due];
  }

  /** Puts back what could not be written. */
  putBack(counted: Counted): void {
    this.taken.delete(keyOf(counted));
    const newer = this.counts.get(counted.what);
    if (newer !== undefined && newer.since !== counted.since) return void this.ended.push(counted);
    const { count, last } = newer ?? { count: 0, last: counted.last };
    this.counts.set(counted.what, { ...counted, count: counted.count + count, last: Math.max(counted.last, last) });
  }
}

const keyOf = ({ what, since }: Counted) => `${what} ${since}`;

/** Who is named among what is counted: whoever tries many makes no more rows than those of the first few. */
export class AccessNames {
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
    if (names.size < MOST_NAMED) names.add(who);
    return names.has(who);
  }
}
