import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isOutage } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { RateLimit } from '../rate-limit.ts';
import { updateAtomically } from '../update-atomically.ts';
import { ACCESS_ENTRIES } from './access-entry-types.ts';
import type { AccessEvent, ReadAddress } from './access-events.ts';
import { type AccessLogEntry, clientInfoFrom, entryOf } from './access-log-entry.ts';
import {
  type AccessLogRow,
  type AccessTimes,
  ALL_ORGANIZATIONS,
  mergeCounts,
  toAccessLogRow,
} from './access-log-row.ts';

export interface AccessLogOptions {
  accounts: AccountStore;
  organizationsOf(accountId: string): Promise<readonly string[]>;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The interval for writing counts and retrying failed writes. */
const WRITE_INTERVAL_MS = 5_000;
/** A token's count is written at most this often. */
const REWRITE_INTERVAL_MS = 60_000;
/** Entries of a new account wait this long for its first membership, which is written after the account. */
const MEMBERSHIP_WAIT_MS = 30_000;
/** Sign-ins or downloads of an account that get a row each, at once or spread over a day. Further ones are counted. */
const MAX_ROWS_PER_DAY = 200;
/** Entries and counts kept in memory. A flood of refusals can't grow it. Further entries are lost, and the log says how many. */
const MAX_PENDING = 10_000;
/** Actors whose refusals get rows of their own, in an hour and an organization. All further ones share one row. */
const MAX_NAMED_ACTORS = 20;

/** An entry to write, or equal entries of one hour or day. */
interface Pending extends AccessTimes {
  key: string;
  entry: AccessLogEntry;
  /** The hour or day in which equal entries are counted; null for an entry with a row of its own. */
  period: { start: number; end: number } | null;
}

/**
 * Records sign-ins, refusals, the use of tokens, and downloads. Recording never waits or throws, and no call depends on
 * it. Entries with an actor are written at once, refusals within seconds, a token's use within a minute. Failed writes
 * are retried. Refusals are hourly counters, and their number is limited. An actor's many downloads or sign-ins share daily
 * rows after the first ones. What somebody does to another's account always has a row of its own.
 */
export class AccessLog {
  /** Entries and counts whose organizations are not looked up yet. */
  private readonly pending = new Map<string, Pending>();
  private readonly rows = new Map<string, { row: AccessLogRow; isCounted: boolean }>();
  private readonly ownRows: RateLimit;
  /** The time when each token's count became a row. */
  private readonly tokensWrittenAt = new LRUCache<string, number>({ max: MAX_PENDING });
  /** The actors whose refusals have rows of their own, by type and organization, in one hour. */
  private readonly namedActors = { hour: 0, byKind: new Map<string, Set<string>>() };
  private lostEntries = 0;
  private failing = false;
  private scheduled = false;
  private running: Promise<void> = Promise.resolve();
  /** The number of writes that run or wait. */
  private writes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AccessLogOptions) {
    this.ownRows = new RateLimit(MAX_ROWS_PER_DAY, DAY_MS, () => this.time());
  }

  /** Records an event. Bound, so that it can listen to AccessEvents. */
  readonly record = (event: AccessEvent): void => {
    if (event.type === 'TOKEN_USED') {
      this.recordTokenUse(event.caller, event.client, event.at, event.readAddress);
    } else if (isRefusal(event.type)) this.recordRefusal(entryOf(event));
    else this.recordAccess(entryOf(event));
  };

  /** Records an entry with an actor, in a row of its own unless it is one of too many. */
  recordAccess(entry: AccessLogEntry): void {
    const { event_type, actor_id, organizations } = entry;
    if (ACCESS_ENTRIES[event_type].countedIfMany && this.ownRows.countOrWaitMs(`${event_type} ${actor_id}`) > 0) {
      // Counted in its day, by what was downloaded and with which token. Its other details are left out.
      const shared = { ...entry, details: sharedDetails(entry) };
      const key = `${event_type} ${actor_id} ${organizations?.join() ?? ''} ${JSON.stringify(shared.details)}`;
      if (this.count(key, DAY_MS, this.time(), () => shared) === null) this.lostEntries += 1;
      return;
    }
    if (this.pending.size >= MAX_PENDING) {
      this.lostEntries += 1;
      return;
    }
    const [key, now] = [randomUUID(), this.time()];
    this.pending.set(key, { key, entry, period: null, first: now, last: now, count: 1 });
    if (this.scheduled || this.failing) return;
    this.scheduled = true;
    setImmediate(() => void this.write(({ period }) => period === null));
  }

  /** Counts a refusal in its hour. Without an actor or account, every organization sees it. */
  recordRefusal(entry: AccessLogEntry): void {
    const { event_type, actor_id, account_id, details } = entry;
    const who = actor_id ?? account_id;
    const key = `${event_type} ${who} ${details?.reason ?? ''}`;
    const count = who ? this.count(key, HOUR_MS, this.time(), () => entry) : null;
    // The row shows the address of the last refusal.
    if (count !== null) count.entry = entry;
    else {
      const anonymous = () => ({ ...anonymousEntry(entry), organizations: [ALL_ORGANIZATIONS] });
      this.count(event_type, HOUR_MS, this.time(), anonymous, true);
    }
  }

  /** Counts a call with a token, for its day and in every organization that the token reaches. */
  recordTokenUse(
    { token_id, account_id, roles }: Caller,
    client: string | null = null,
    now = this.time(),
    readAddress?: ReadAddress,
  ): void {
    if (token_id === null) return;
    this.count(token_id, DAY_MS, now, () => ({
      event_type: 'TOKEN_USED',
      actor_id: token_id,
      account_id,
      client,
      organizations: [...roles.keys()],
      ...clientInfoFrom(readAddress),
    }));
  }

  /**
   * Counts an entry. Entries with the same key in the same period are counted together.
   * @param always ignores MAX_PENDING, for the few counts that name no actor
   * @returns the count, or null when MAX_PENDING is reached
   */
  private count(
    key: string,
    periodMs: number,
    now: number,
    entry: () => AccessLogEntry,
    always = false,
  ): Pending | null {
    const count = this.pending.get(key);
    // Every call with a token gets here, so finding an existing count allocates nothing.
    if (count?.period && now < count.period.end) {
      count.count += 1;
      count.last = now;
      return count;
    }
    if (this.pending.size >= MAX_PENDING && !always) return null;
    const start = now - (now % periodMs);
    if (count !== undefined) {
      count.key = `${key} until ${start}`;
      this.pending.set(count.key, count);
    }
    const first = { key, entry: entry(), period: { start, end: start + periodMs }, first: now, last: now, count: 1 };
    this.pending.set(key, first);
    return first;
  }

  /** Starts to write every few seconds. */
  start(): void {
    this.timer ??= setInterval(() => void this.writeDue(), WRITE_INTERVAL_MS).unref();
  }

  /** Writes what is due, unless a write is in progress: to a store that doesn't answer it takes long. */
  async writeDue(): Promise<void> {
    if (this.writes === 0) await this.write((pending) => this.isDue(pending));
  }

  /** Writes everything that is pending. Returns true if it succeeded. */
  async flush(): Promise<boolean> {
    await this.write(() => true);
    return !this.failing;
  }

  /** The number of entries and counts waiting to be written. */
  get pendingCount(): number {
    return this.pending.size + this.rows.size;
  }

  /** Writes everything that is pending, and stops. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    if (await this.flush()) return;
    const lost = { lost: this.pendingCount };
    this.options.log.warn(lost, 'the access log could not be written before the stop, entries are lost');
  }

  private isDue({ entry: { event_type, actor_id }, period }: Pending): boolean {
    if (event_type !== 'TOKEN_USED' || this.time() >= period!.end) return true;
    return this.time() - (this.tokensWrittenAt.get(actor_id!) ?? Number.NEGATIVE_INFINITY) >= REWRITE_INTERVAL_MS;
  }

  /** Writes what is pending and due. Writes run one after another. */
  private write(isDue: (pending: Pending) => boolean): Promise<void> {
    const { log } = this.options;
    this.writes += 1;
    this.running = this.running.then(async () => {
      try {
        this.scheduled = false;
        await this.toRows([...this.pending.values()].filter(isDue));
        await this.writeRows();
        if (this.lostEntries > 0) {
          log.warn({ lost: this.lostEntries }, 'the access log lost entries while it could not be written');
        }
        this.lostEntries = 0;
        this.failing = false;
      } catch (error) {
        if (!this.failing) log.warn({ err: error }, 'the access log cannot be written: it is kept and tried again');
        this.failing = true;
      }
      this.writes -= 1;
    });
    return this.running;
  }

  /** Turns entries and counts into rows, one for each organization that sees them. @throws while the store is down */
  private async toRows(due: readonly Pending[]): Promise<void> {
    for (const pending of due) {
      const { entry, period, first } = pending;
      const organizations = await this.organizationIdsFor(entry).catch((error: unknown) => this.drop(error));
      // Nothing waits between here and the rows, so no count is added that would be lost.
      if (period === null && organizations?.length === 0 && this.time() - first < MEMBERSHIP_WAIT_MS) continue;
      this.pending.delete(pending.key);
      if (entry.event_type === 'TOKEN_USED') this.tokensWrittenAt.set(entry.actor_id!, this.time());
      for (const id of organizations ?? []) this.addRow(pending, id);
    }
  }

  private async organizationIdsFor(entry: AccessLogEntry): Promise<readonly string[]> {
    if (entry.organizations !== undefined) return entry.organizations;
    const account = entry.account_id ?? entry.actor_id;
    return account === null ? [ALL_ORGANIZATIONS] : this.options.organizationsOf(account);
  }

  private addRow(pending: Pending, organizationId: string): void {
    const { entry, period, first, key } = pending;
    const isNamed = this.isNamed(pending, organizationId);
    const loggedEntry = isNamed ? entry : anonymousEntry(entry);
    const countKey = isNamed ? `${entry.actor_id ?? entry.account_id}~${JSON.stringify(entry.details ?? {})}` : '';
    const row = toAccessLogRow(
      loggedEntry,
      organizationId,
      pending,
      period?.start ?? first,
      period === null ? key : countKey,
    );
    const earlier = this.rows.get(row.id);
    if (earlier !== undefined) Object.assign(earlier.row, mergeCounts(earlier.row, row));
    else if (this.rows.size < MAX_PENDING) this.rows.set(row.id, { row, isCounted: period !== null });
    else this.lostEntries += row.count;
  }

  /** Returns false for the refusals of an actor that is not one of the hour's first in an organization. */
  private isNamed({ entry: { event_type, actor_id, account_id }, period }: Pending, organizationId: string): boolean {
    if (period === null || !isRefusal(event_type)) return true;
    const who = actor_id ?? account_id;
    if (!who) return false;
    const { hour, byKind } = this.namedActors;
    if (hour !== period.start) byKind.clear();
    this.namedActors.hour = period.start;
    const kind = `${event_type} ${organizationId}`;
    const names = byKind.get(kind) ?? new Set();
    if (names.size < MAX_NAMED_ACTORS) byKind.set(kind, names.add(who));
    return names.has(who);
  }

  /**
   * Writes the rows. Several instances may add to the same one. A repeat after a failure never adds a second row, but it may
   * add a count twice if the answer was lost.
   * @throws while the store is down
   */
  private async writeRows(): Promise<void> {
    const { accounts } = this.options;
    for (const { row, isCounted } of [...this.rows.values()]) {
      // Lets waiting calls run first: an embedded store writes synchronously.
      await turn();
      const next = (stored: AccessLogRow | null) => (stored === null ? row : mergeCounts(stored, row));
      const written = isCounted
        ? updateAtomically<AccessLogRow>(accounts, 'access', row.id, next)
        : accounts.insert('access', row);
      await written.catch((error: unknown) => this.drop(error));
      this.rows.delete(row.id);
    }
  }

  /** Counts an entry that fails though the store answers: it would always fail. @throws the error while the store is down */
  private drop(error: unknown): null {
    if (isOutage(error)) throw error;
    this.lostEntries += 1;
    this.options.log.warn({ err: error }, 'an entry of the access log could not be written');
    return null;
  }

  private time(): number {
    return this.options.now().getTime();
  }
}

const REFUSALS: readonly string[] = ['TOKEN_REFUSED', 'CALL_REFUSED', 'SIGN_IN_REFUSED'];
const isRefusal = (type: string): boolean => REFUSALS.includes(type);

/** Returns an entry of the same type that names nobody: without account, organizations, client, address and details. */
function anonymousEntry({ event_type }: AccessLogEntry): AccessLogEntry {
  return { event_type, actor_id: null };
}

/** Returns the details that counted entries share. Of a download: the file, its format, the token, and if it was all of it. */
function sharedDetails({ details = {} }: AccessLogEntry): NonNullable<AccessLogEntry['details']> {
  const { type, format, token_id, position, ...narrowing } = details;
  if (type === undefined) return {};
  const scope = Object.keys(narrowing).length > 0 ? 'PART' : 'ALL';
  return { type, ...(format === undefined ? {} : { format }), ...(token_id === undefined ? {} : { token_id }), scope };
}
