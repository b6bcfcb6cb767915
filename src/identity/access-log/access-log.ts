import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isOutage } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { RateLimit } from '../rate-limit.ts';
import { ACCESS_ENTRIES } from './access-entry-types.ts';
import type { AccessEvent, ReadAddress } from './access-events.ts';
import { type AccessLogEntry, clientInfoFrom, entryOf } from './access-log-entry.ts';
import { type AccessLogRow, ALL_ORGANIZATIONS } from './access-log-row.ts';
import {
  AccessLogWriter,
  anonymousEntry,
  FirstActors,
  mergeCounts,
  type PendingRow,
  toAccessLogRow,
} from './access-log-writer.ts';

export interface AccessLogOptions {
  accounts: AccountStore;
  /** Returns the organizations that an account is a member of now. */
  organizationsOf(accountId: string): Promise<readonly string[]>;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The interval for writing counts and retrying failed writes. */
const WRITE_INTERVAL_MS = 5_000;
/** Entries of a new account wait this long for its first membership, which is written after the account. */
const MEMBERSHIP_WAIT_MS = 30_000;
/** Sign-ins or downloads of an account that get a row each, at once or spread over a day. Further ones are counted. */
const MAX_ROWS_PER_DAY = 200;
/** Entries kept while the store is down. Further ones are lost, and the log says how many. */
const MAX_PENDING = 10_000;

/**
 * Records sign-ins, refusals, the use of tokens, and downloads. Recording never waits or throws, and no call depends on
 * it. Entries with an actor are written at once, refusals within seconds, a token's use within a minute. Failed writes
 * are retried. Refusals are hourly counters, and their number is limited. An actor's many downloads or sign-ins share daily
 * rows after the first ones. What somebody does to another's account always has a row of its own.
 */
export class AccessLog {
  private readonly rows: AccessLogWriter;
  private readonly counts = new AccessCounts();
  /** Entries whose organizations are not looked up yet. */
  private notes: { entry: AccessLogEntry; at: string }[] = [];
  /** Rows to write, by row id or bucket. */
  private readonly waiting = new Map<string, PendingRow>();
  private readonly firstActors = new FirstActors();
  private readonly ownRows: RateLimit;
  private lostEntries = 0;
  private failing = false;
  private scheduled = false;
  private running: Promise<void> = Promise.resolve();
  /** The number of writes that run or wait. */
  private writes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AccessLogOptions) {
    this.rows = new AccessLogWriter(options.accounts);
    this.ownRows = new RateLimit(MAX_ROWS_PER_DAY, DAY_MS, () => options.now().getTime());
  }

  /** Records an event. Bound, so that it can listen to AccessEvents. */
  readonly record = (event: AccessEvent): void => {
    if (event.type === 'TOKEN_USED') {
      this.recordTokenUse(event.caller, event.client, event.at, event.readAddress);
    } else if (event.type === 'TOKEN_REFUSED' || event.type === 'SIGN_IN_REFUSED') {
      this.recordRefusal(entryOf(event));
    } else this.recordAccess(entryOf(event));
  };

  /** Records an entry with an actor, in a row of its own unless it is one of too many. */
  recordAccess(entry: AccessLogEntry): void {
    const { event_type, actor_id } = entry;
    if (ACCESS_ENTRIES[event_type].countedIfMany && this.ownRows.countOrWaitMs(`${event_type} ${actor_id}`) > 0) {
      this.countAccess(entry);
      return;
    }
    if (this.notes.length >= MAX_PENDING) {
      this.lostEntries += 1;
      return;
    }
    this.notes.push({ entry, at: this.options.now().toISOString() });
    if (this.scheduled || this.failing) return;
    this.scheduled = true;
    setImmediate(() => void this.write(() => []));
  }

  /** Counts an entry in its day, by what was downloaded and with which token. Its other details are left out. */
  private countAccess(entry: AccessLogEntry): void {
    const shared = { ...entry, details: sharedDetails(entry) };
    const { event_type, actor_id, organizations } = entry;
    const key = `${event_type} ${actor_id} ${organizations?.join() ?? ''} ${JSON.stringify(shared.details)}`;
    const count = this.counts.add(key, DAY_MS, this.options.now().getTime(), () => shared);
    if (count === null) this.lostEntries += 1;
  }

  /** Counts a refusal in its hour. Without an actor or account, every organization sees it. */
  recordRefusal(entry: AccessLogEntry): void {
    const { event_type, actor_id, account_id, details } = entry;
    const now = this.options.now().getTime();
    const who = actor_id ?? account_id;
    const what = `${event_type} ${who} ${details?.reason ?? ''}`;
    const count = who ? this.counts.add(what, HOUR_MS, now, () => entry) : null;
    // The row shows the address of the last refusal.
    if (count !== null) count.entry = entry;
    else
      this.counts.add(
        event_type,
        HOUR_MS,
        now,
        () => ({ ...anonymousEntry(entry), organizations: [ALL_ORGANIZATIONS] }),
        true,
      );
  }

  /** Counts a call with a token, for its day and in every organization that the token reaches. */
  recordTokenUse(
    { token_id, account_id, roles }: Caller,
    client: string | null = null,
    now = this.options.now().getTime(),
    readAddress?: ReadAddress,
  ): void {
    if (token_id === null) return;
    this.counts.add(token_id, DAY_MS, now, () => ({
      event_type: 'TOKEN_USED',
      actor_id: token_id,
      account_id,
      client,
      organizations: [...roles.keys()],
      ...clientInfoFrom(readAddress),
    }));
  }

  /** Starts to write every few seconds. */
  start(): void {
    const writeDue = () => {
      // A write to a store that doesn't answer takes long, and the next must not queue behind it.
      if (this.writes === 0) void this.write((now) => this.counts.take(now, false));
    };
    this.timer ??= setInterval(writeDue, WRITE_INTERVAL_MS).unref();
  }

  /** Writes everything that is pending. Returns true if it succeeded. */
  async flush(): Promise<boolean> {
    await this.write((now) => this.counts.take(now, true));
    return !this.failing;
  }

  /** The number of entries and counts waiting to be written. */
  get pendingCount(): number {
    return this.notes.length + this.waiting.size + this.counts.size;
  }

  /** Writes everything that is pending, and stops. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    if (await this.flush()) return;
    this.options.log.warn(
      { lost: this.pendingCount },
      'the access log could not be written before the stop, entries are lost',
    );
  }

  /** Writes what is pending. Writes run one after another. */
  private write(take: (now: number) => AccessCount[]): Promise<void> {
    this.writes += 1;
    this.running = this.running.then(async () => {
      try {
        this.scheduled = false;
        await this.toRows(take(this.options.now().getTime()));
        await this.writePending();
        if (this.lostEntries > 0)
          this.options.log.warn(
            { lost: this.lostEntries },
            'the access log lost entries while it could not be written',
          );
        this.lostEntries = 0;
        this.failing = false;
      } catch (error) {
        if (!this.failing)
          this.options.log.warn({ err: error }, 'the access log cannot be written: it is kept and tried again');
        this.failing = true;
      }
      this.writes -= 1;
    });
    return this.running;
  }

  /** Turns entries and counts into rows, one for each organization that sees them. */
  private async toRows(counts: AccessCount[]): Promise<void> {
    const notes = this.notes.splice(0);
    try {
      await this.forEach(notes, async ({ entry, at }) => {
        const organizations = await this.organizationIdsFor(entry);
        for (const id of organizations) this.enqueue(toAccessLogRow(entry, id, at, at, 1), null);
        if (organizations.length === 0 && this.age(at) < MEMBERSHIP_WAIT_MS) this.notes.push({ entry, at });
      });
      await this.forEach(counts, async (count) => {
        for (const id of await this.organizationIdsFor(count.entry)) this.enqueueCount(count, id);
      });
    } catch (error) {
      this.notes.unshift(...notes);
      for (const count of counts) this.counts.restore(count);
      throw error;
    }
  }

  private age(at: string): number {
    return this.options.now().getTime() - Date.parse(at);
  }

  /** Processes and removes items in order. Stops when the store is down. An item that fails otherwise would always fail, so it is dropped. */
  private async forEach<T>(list: T[], work: (item: T) => Promise<void>): Promise<void> {
    while (list.length > 0) {
      try {
        await work(list[0] as T);
      } catch (error) {
        if (isOutage(error)) throw error;
        this.lostEntries += 1;
        this.options.log.warn({ err: error }, 'an entry of the access log could not be written');
      }
      list.shift();
    }
  }

  private async organizationIdsFor({
    organizations,
    account_id,
    actor_id,
  }: AccessLogEntry): Promise<readonly string[]> {
    if (organizations !== undefined) return organizations;
    const account = account_id ?? actor_id;
    return account === null ? [ALL_ORGANIZATIONS] : this.options.organizationsOf(account);
  }

  private enqueueCount({ entry, periodStart, count, first, last }: AccessCount, organizationId: string): void {
    const period = new Date(periodStart).toISOString();
    const { event_type, details } = entry;
    const who = entry.actor_id ?? entry.account_id ?? null;
    const isRefusal = event_type === 'TOKEN_REFUSED' || event_type === 'SIGN_IN_REFUSED';
    const what = isRefusal ? (details?.reason ?? '') : JSON.stringify(details ?? {});
    const isNamed = !isRefusal || this.firstActors.has(period, `${event_type} ${organizationId}`, who);
    const loggedEntry = isNamed ? entry : anonymousEntry(entry);
    const row = toAccessLogRow(
      loggedEntry,
      organizationId,
      new Date(first).toISOString(),
      new Date(last).toISOString(),
      count,
    );
    const bucket = [period, event_type, organizationId, isNamed ? `${who}~${what}` : ''].join('~');
    this.enqueue(row, bucket);
  }

  private enqueue(row: AccessLogRow, bucket: string | null): void {
    const key = bucket ?? row.id;
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) waiting.row = mergeCounts(waiting.row, row);
    else if (this.waiting.size < MAX_PENDING) this.waiting.set(key, { row, bucket });
    else this.lostEntries += row.count;
  }

  private writePending(): Promise<void> {
    return this.forEach([...this.waiting], async ([key, unwritten]) => {
      // Lets waiting calls run first: an embedded store writes synchronously.
      await turn();
      await this.rows.write(unwritten).catch((error: unknown) => {
        if (!isOutage(error)) this.waiting.delete(key);
        throw error;
      });
      this.waiting.delete(key);
    });
  }
}

/** The number of counts kept in memory. A flood of refusals can't grow it. */
const MAX_COUNTS = 10_000;
/** A token's count is written at most this often. */
const REWRITE_INTERVAL_MS = 60_000;

/** The number of equal entries in one hour or day. */
interface AccessCount {
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
    const dueCounts = [...this.counts.values()].filter(
      (count) =>
        all ||
        count.entry.event_type !== 'TOKEN_USED' ||
        now - (this.takenAt.get(keyOf(count)) ?? -Infinity) >= REWRITE_INTERVAL_MS,
    );
    for (const count of dueCounts) {
      this.counts.delete(count.key);
      this.takenAt.set(keyOf(count), now);
    }
    return [...this.endedPeriods.splice(0), ...dueCounts];
  }

  /** Puts back a count that could not be written. */
  restore(counted: AccessCount): void {
    this.takenAt.delete(keyOf(counted));
    const newerCount = this.counts.get(counted.key);
    if (newerCount !== undefined && newerCount.periodStart !== counted.periodStart)
      return void this.endedPeriods.push(counted);
    const { count, last } = newerCount ?? { count: 0, last: counted.last };
    this.counts.set(counted.key, { ...counted, count: counted.count + count, last: Math.max(counted.last, last) });
  }
}

/** Returns the details that counted entries share. Of a download: the file, its format, the token, and if it was all of it. */
function sharedDetails({ details = {} }: AccessLogEntry): NonNullable<AccessLogEntry['details']> {
  const { type, format, token_id, position, ...narrowing } = details;
  if (type === undefined) return {};
  const scope = Object.keys(narrowing).length > 0 ? 'PART' : 'ALL';
  return { type, ...(format === undefined ? {} : { format }), ...(token_id === undefined ? {} : { token_id }), scope };
}

const keyOf = ({ key, periodStart }: AccessCount) => `${key} ${periodStart}`;
