import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { checkAppend, checkDecisionAge } from '../check-append.ts';
import { DecisionExpired, RevisionConflict, StoreReplaced, StoreUnavailable } from '../errors.ts';
import type {
  AppendCondition,
  EventStore,
  LogHead,
  StoredEvent,
  StorePosition,
  StreamBatch,
  UncheckedRow,
} from '../event-store.ts';
import {
  FileLocked,
  LOCK_RETRY_MS,
  LOCK_WAIT_MS,
  SqliteConnection,
  type SqlRow,
  whenUnlocked,
  whenUnlockedInPlace,
} from './connection.ts';
import {
  EVENT_COLUMNS,
  EVENTS_TABLE,
  INSERT_EVENT,
  newestPosition,
  readEvents,
  storePositionOfRow,
  toEvent,
  toEventRow,
  toUncheckedRow,
} from './event-rows.ts';
import { EventTail } from './event-tail.ts';

/** No limit, in SQLite's LIMIT. */
const NO_LIMIT = -1;

/** The content of one append. Its rows are complete except for the store position. */
interface AppendRequest {
  stream: string;
  rows: SqlRow[];
  expectedRevision: number;
  decidedAt?: number | undefined;
  condition?: AppendCondition | undefined;
}

interface WaitingAppend extends AppendRequest {
  /** When it began to wait, in monotonic milliseconds. */
  since: number;
  resolve(position: StorePosition): void;
  reject(error: unknown): void;
}

/** The outcome of an append: the store position (that of the first attempt, for a retry), or why it isn't written. */
type Outcome = { position: number; written: boolean } | { refusal: RevisionConflict | DecisionExpired };

/**
 * Stores the log in `<folder>/events.db`. Syncs at every commit. Appends that wait at the same time share one
 * transaction and one sync. Another process may write to the same file.
 */
export function openSqliteEventStore(folder: string, options: { pollMs?: number } = {}): EventStore {
  return whenUnlockedInPlace(() => new SqliteEventStore(join(folder, 'events.db'), options.pollMs ?? 100));
}

class SqliteEventStore implements EventStore {
  readonly #db: SqliteConnection;
  readonly #tail: EventTail;
  #waiting: WaitingAppend[] = [];
  /** The newest event that this store has found at its opening or written since. The log must have it for ever. */
  #newest: { position: number; id: string } | undefined;
  #closed = false;

  constructor(path: string, pollMs: number) {
    this.#db = new SqliteConnection(path, { synchronous: 'FULL', cacheKiB: 16_384 });
    this.#db.setUp(() => {
      this.#db.exec(EVENTS_TABLE);
      const [position, id] =
        this.#db.get('SELECT position, CAST(id AS BLOB) FROM events ORDER BY position DESC LIMIT 1') ?? [];
      if (position !== undefined) this.#newest = { position: position as number, id: String(id) };
    });
    this.#tail = new EventTail(this.#db, `veritrail ${realpathSync(path)}`, pollMs);
  }

  async append(
    stream: string,
    events: readonly TrailEvent[],
    expectedRevision: number,
    decidedAt?: number,
    condition?: AppendCondition,
  ): Promise<StorePosition> {
    return this.#enqueue(toRequest({ stream, events, expectedRevision, decidedAt, condition }));
  }

  async appendInOrder(batches: readonly StreamBatch[]): Promise<StorePosition[]> {
    // All are checked before any waits.
    return Promise.all(batches.map(toRequest).map((request) => this.#enqueue(request)));
  }

  async appendRow(row: UncheckedRow): Promise<StorePosition> {
    return this.#enqueue({ stream: row.stream, rows: [toUncheckedRow(row)], expectedRevision: row.revision - 1 });
  }

  async #enqueue(request: AppendRequest): Promise<StorePosition> {
    if (this.#closed) throw new StoreUnavailable('the event store is closed');
    const since = monotonicMs();
    return new Promise((resolve, reject) => {
      // An immediate runs after all callbacks of this event-loop turn, so appends of one turn share the sync.
      if (this.#waiting.push({ ...request, since, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  async readStream(stream: string, fromRevision = 0, limit = NO_LIMIT): Promise<StoredEvent[]> {
    const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`;
    return whenUnlocked(() => this.#db.all(sql, [stream, fromRevision, limit]).map((row) => toEvent(this.#db, row)));
  }

  /** Nothing removes a stream from this store. */
  async explainAbsence(): Promise<null> {
    return null;
  }

  async *readAll(after: StorePosition | null): AsyncGenerator<readonly StoredEvent[]> {
    const end = await whenUnlocked(() => newestPosition(this.#db));
    let last = Number(after ?? 0);
    while (last < end) {
      const after = last;
      const events = await whenUnlocked(() => readEvents(this.#db, after, end));
      if (events.length === 0) return;
      yield events;
      last = Number(events.at(-1)!.storePosition);
    }
  }

  subscribeAll(after: StorePosition | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return this.#tail.subscribe(Number(after ?? 0), signal);
  }

  async head(after: StorePosition | null): Promise<LogHead> {
    const end = await this.end();
    return { newest: Number(end) > Number(after ?? 0) ? end : null, end };
  }

  async end(): Promise<StorePosition> {
    return storePositionOfRow(await whenUnlocked(() => newestPosition(this.#db)));
  }

  async check(): Promise<void> {
    await whenUnlocked(() => {
      this.#refuseReplaced();
      this.#db.refuseReplaced();
    });
  }

  compareStorePositions(a: StorePosition, b: StorePosition): number {
    return Number(a) - Number(b);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#flush();
    this.#tail.close();
    this.#db.close();
  }

  /** Writes all waiting appends in one transaction, checks each one's expected revision, and settles them. */
  #flush(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    let outcomes: Outcome[];
    try {
      outcomes = this.#db.transaction(() => {
        this.#refuseReplaced();
        return batch.map((append) => this.#write(append));
      });
    } catch (error) {
      if (error instanceof FileLocked) this.#flushLater(batch, error);
      else for (const append of batch) append.reject(error);
      return;
    }
    this.#announce(batch, outcomes);
    for (const [index, outcome] of outcomes.entries()) {
      const append = batch[index]!;
      if ('refusal' in outcome) append.reject(outcome.refusal);
      else append.resolve(storePositionOfRow(outcome.position));
    }
  }

  /** Lets appends wait, in their order, while the file is locked. Rejects those that have waited too long. */
  #flushLater(batch: readonly WaitingAppend[], error: FileLocked): void {
    const limit = this.#closed ? 0 : LOCK_WAIT_MS;
    const now = monotonicMs();
    this.#waiting = batch.filter(({ since }) => now - since < limit);
    for (const append of batch) if (now - append.since >= limit) append.reject(error);
    if (this.#waiting.length > 0) setTimeout(() => this.#flush(), LOCK_RETRY_MS);
  }

  /** @throws StoreReplaced if the log doesn't have the newest known event */
  #refuseReplaced(): void {
    if (this.#newest === undefined) return;
    const { position, id } = this.#newest;
    if (String(this.#db.get('SELECT CAST(id AS BLOB) FROM events WHERE position = ?', [position])?.[0]) === id) return;
    throw new StoreReplaced(`The file events.db does not have the event at store position ${position} any more.`);
  }

  #write({ stream, rows, expectedRevision, decidedAt, condition }: WaitingAppend): Outcome {
    const actual = this.#revisionOf(stream);
    const firstAttempt = actual === expectedRevision ? null : this.#findFirstAttempt(stream, rows, expectedRevision);
    if (firstAttempt !== null) return firstAttempt;
    try {
      checkDecisionAge({ stream, decidedAt, condition });
    } catch (error) {
      if (error instanceof DecisionExpired) return { refusal: error };
      throw error;
    }
    if (actual !== expectedRevision) return { refusal: new RevisionConflict(stream, actual) };
    if (condition !== undefined && this.#revisionOf(condition.stream) !== condition.revision)
      return {
        refusal: new DecisionExpired(`${condition.stream} has changed since the events for ${stream} were decided`),
      };
    let position = 0;
    for (const row of rows) position = this.#db.run(INSERT_EVENT, row).rowid;
    return { position, written: true };
  }

  /** Returns the revision of a stream's newest event, -1 without one. */
  #revisionOf(stream: string): number {
    const newest = 'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1';
    return (this.#db.get(newest, [stream])?.[0] as number | undefined) ?? -1;
  }

  /** Returns the first attempt's position if the stream has these events already. Equal ids mean equal events. */
  #findFirstAttempt(stream: string, rows: readonly SqlRow[], expectedRevision: number): Outcome | null {
    const sql =
      'SELECT CAST(id AS BLOB), position FROM events WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY revision';
    const existingRows = this.#db.all(sql, [stream, expectedRevision, expectedRevision + rows.length]);
    const isSame =
      existingRows.length === rows.length && rows.every((row, index) => row[2] === String(existingRows[index]![0]));
    return isSame ? { position: existingRows.at(-1)![1] as number, written: false } : null;
  }

  /** Remembers the newest event, and wakes the subscribers. */
  #announce(batch: readonly WaitingAppend[], outcomes: readonly Outcome[]): void {
    const last = outcomes.findLastIndex(isWritten);
    if (last < 0) return;
    const { position } = outcomes[last] as WrittenOutcome;
    this.#newest = { position, id: batch[last]!.rows.at(-1)![2] as string };
    this.#tail.onCommit(position);
  }
}

type WrittenOutcome = Extract<Outcome, { written: boolean }>;

const isWritten = (outcome: Outcome): outcome is WrittenOutcome => 'written' in outcome && outcome.written;

/** Returns what a checked batch appends. @throws TypeError, TooLarge as `append` does */
function toRequest({ stream, events, expectedRevision, decidedAt, condition }: StreamBatch): AppendRequest {
  const texts = checkAppend(stream, events, expectedRevision);
  const rows = events.map((event, index) => toEventRow(event, texts[index]!));
  return { stream, rows, expectedRevision, decidedAt, condition };
}
