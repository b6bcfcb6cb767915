import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import {
  type AccessEntryType,
  type AccessLogRow,
  ALL_ORGANIZATIONS,
  type DownloadDetails,
} from '../queries/access-log-row.ts';
import type { AccountStore } from '../stores/account-store.ts';
import { StoreUnavailable } from '../stores/errors.ts';
import { type AccessCount, AccessCounts, NamedActors } from './access-counts.ts';
import { type AccessLogEntry, entryOfAccount, entryOfLink } from './access-log-entry.ts';
import { AccessLogWriter, mergeCounts, type PendingRow, toAccessLogRow, withoutActor } from './access-log-writer.ts';
import type { AccountEvent, AccountLinkEvent } from './account-events.ts';

export interface AccessLogOptions {
  accounts: AccountStore;
  /** Where an account is a member now. */
  organizationsOf(accountId: string): Promise<readonly string[]>;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often what is counted is written, and what failed is tried again. */
const WRITE_INTERVAL_MS = 5_000;
/** A membership that is being made is waited for so long: an account is told of before it is a member anywhere. */
const MEMBERSHIP_WAIT_MS = 30_000;
/** What waits for a store that is away; then the newest are lost, and the log says how many. */
const MAX_PENDING = 10_000;

/**
 * Who came in, and who was refused. Telling it neither waits nor throws, and no call depends on it: what is known of
 * somebody is written at once, refusals within seconds, and a token's use within a minute. What could not be written is
 * kept and tried again. Nobody who is not signed in can make it grow: refusals are counters, so many an hour.
 */
export class AccessLog {
  private readonly rows: AccessLogWriter;
  private readonly counts = new AccessCounts();
  /** Noted, but not yet known to whom. */
  private notes: { entry: AccessLogEntry; at: string }[] = [];
  /** To be written, by id or bucket. */
  private readonly waiting = new Map<string, PendingRow>();
  private readonly named = new NamedActors();
  private lost = 0;
  private failing = false;
  private scheduled = false;
  private running: Promise<void> = Promise.resolve();
  /** Under way, or to come after it. */
  private writes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AccessLogOptions) {
    this.rows = new AccessLogWriter(options.accounts);
  }

  /** Something done by somebody who is known: a row of its own. */
  recordAccess(entry: AccessLogEntry): void {
    if (this.notes.length >= MAX_PENDING) {
      this.lost += 1;
      return;
    }
    this.notes.push({ entry, at: this.options.now().toISOString() });
    if (this.scheduled || this.failing) return;
    this.scheduled = true;
    setImmediate(() => void this.write(() => []));
  }

  /** A refusal: one more in its hour. Without account_id and organizations it is the whole installation's. */
  recordRefusal(entry: AccessLogEntry): void {
    const { event_type, actor_id, account_id, details } = entry;
    const now = this.options.now().getTime();
    const who = actor_id ?? account_id;
    const what = `${event_type} ${who} ${details?.reason ?? ''}`;
    const counted = who ? this.counts.add(what, HOUR_MS, now, () => entry) : null;
    // The last one's address stands for all of them.
    if (counted !== null) counted.entry = entry;
    else
      this.counts.add(
        event_type,
        HOUR_MS,
        now,
        () => ({ ...withoutActor(entry), organizations: [ALL_ORGANIZATIONS] }),
        true,
      );
  }

  /** A call with a token: one more on its day, in every organization that it reaches. */
  recordTokenUse(
    { token_id, account_id, roles }: Caller,
    client: string | null = null,
    now = this.options.now().getTime(),
    from?: ReadAddress,
  ): void {
    if (token_id === null) return;
    this.counts.add(token_id, DAY_MS, now, () => ({
      event_type: 'TOKEN_USED',
      actor_id: token_id,
      account_id,
      client,
      organizations: [...roles.keys()],
      ...clientInfoOf(from),
    }));
  }

  /** What people's accounts tell: hand it to them as it is. */
  readonly onAccountEvent = (event: AccountEvent): void => {
    const entry = entryOfAccount(event);
    if (entry.event_type === 'SIGN_IN_REFUSED') this.recordRefusal(entry);
    else this.recordAccess(entry);
  };

  /** And what links tell. */
  readonly onLinkEvent = (event: AccountLinkEvent): void => this.recordAccess(entryOfLink(event));

  /** A report that somebody has drawn, once for all of its pages. */
  reportGenerated(caller: Caller, report: DownloadDetails): void {
    this.recordDownload('REPORT_GENERATED', caller, report);
  }

  /** A file that somebody draws, and each time that it is gone on with. */
  exportDownloaded(caller: Caller, file: DownloadDetails): void {
    this.recordDownload('EXPORT_DOWNLOADED', caller, file);
  }

  private recordDownload(
    event_type: AccessEntryType,
    { account_id, token_id, client }: Caller,
    { organization_id, ...details }: DownloadDetails,
  ): void {
    this.recordAccess({
      event_type,
      actor_id: account_id,
      client: client === null ? null : `${client.name} ${client.version}`.trim(),
      organizations: [organization_id],
      details: { ...details, ...(token_id === null ? {} : { token_id }) },
    });
  }

  /** Begins to write every few seconds. */
  start(): void {
    const writeDue = () => {
      // Each write to a silent store waits long, and the next must not queue up behind it.
      if (this.writes === 0) void this.write((now) => this.counts.take(now, false));
    };
    this.timer ??= setInterval(writeDue, WRITE_INTERVAL_MS).unref();
  }

  /** Writes all that there is, and answers whether it could. */
  async flush(): Promise<boolean> {
    await this.write((now) => this.counts.take(now, true));
    return !this.failing;
  }

  /** The number of entries and counts that wait to be written. */
  get pendingCount(): number {
    return this.notes.length + this.waiting.size + this.counts.size;
  }

  /** Writes all that there is, and stops. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    if (await this.flush()) return;
    this.options.log.warn(
      { lost: this.pendingCount },
      'the access log could not be written before the stop: entries are lost',
    );
  }

  /** One at a time. */
  private write(take: (now: number) => AccessCount[]): Promise<void> {
    this.writes += 1;
    this.running = this.running.then(async () => {
      try {
        this.scheduled = false;
        await this.toRows(take(this.options.now().getTime()));
        await this.writePending();
        if (this.lost > 0)
          this.options.log.warn({ lost: this.lost }, 'the access log lost entries while it could not be written');
        this.lost = 0;
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

  /** Makes rows of what was told, one for every organization that is to see it. */
  private async toRows(counted: AccessCount[]): Promise<void> {
    const notes = this.notes.splice(0);
    try {
      await this.each(notes, async ({ entry, at }) => {
        const organizations = await this.organizationIdsFor(entry);
        for (const id of organizations) this.enqueue(toAccessLogRow(entry, id, at, at, 1), null);
        if (organizations.length === 0 && this.age(at) < MEMBERSHIP_WAIT_MS) this.notes.push({ entry, at });
      });
      await this.each(counted, async (one) => {
        for (const id of await this.organizationIdsFor(one.entry)) this.enqueueCount(one, id);
      });
    } catch (error) {
      this.notes.unshift(...notes);
      for (const one of counted) this.counts.restore(one);
      throw error;
    }
  }

  private age(at: string): number {
    return this.options.now().getTime() - Date.parse(at);
  }

  /** Takes out one after the other. What fails for another reason than a store that is away would fail for ever: it is lost. */
  private async each<T>(list: T[], work: (item: T) => Promise<void>): Promise<void> {
    while (list.length > 0) {
      try {
        await work(list[0] as T);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        this.lost += 1;
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

  private enqueueCount({ entry, periodStart: since, count, first, last }: AccessCount, organizationId: string): void {
    const period = new Date(since).toISOString();
    const { event_type, details } = entry;
    const who = entry.actor_id ?? entry.account_id ?? null;
    const named = event_type === 'TOKEN_USED' || this.named.has(period, `${event_type} ${organizationId}`, who);
    const shown = named ? entry : withoutActor(entry);
    const row = toAccessLogRow(
      shown,
      organizationId,
      new Date(first).toISOString(),
      new Date(last).toISOString(),
      count,
    );
    const bucket = [period, event_type, organizationId, named ? `${who}~${details?.reason ?? ''}` : ''].join('~');
    this.enqueue(row, bucket);
  }

  private enqueue(row: AccessLogRow, bucket: string | null): void {
    const key = bucket ?? row.id;
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) waiting.row = mergeCounts(waiting.row, row);
    else if (this.waiting.size < MAX_PENDING) this.waiting.set(key, { row, bucket });
    else this.lost += row.count;
  }

  private writePending(): Promise<void> {
    return this.each([...this.waiting], async ([key, unwritten]) => {
      // Calls go first: an embedded store writes within this turn.
      await turn();
      await this.rows.write(unwritten).catch((error: unknown) => {
        if (!isUnavailable(error)) this.waiting.delete(key);
        throw error;
      });
      this.waiting.delete(key);
    });
  }
}

/** Tells the address that a call came from. */
export type ReadAddress = () => string;

/** Where a program called from. Its User-Agent is no browser's. */
export const clientInfoOf = (from: ReadAddress | undefined): Pick<AccessLogEntry, 'clientInfo'> =>
  from === undefined ? {} : { clientInfo: { address: from(), agent: '' } };

/** Whether it may be possible later. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailable || (error instanceof Refusal && error.code === 'unavailable');
}
