import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TrailEvent } from '../../trail/event.ts';
import { checkAppend } from '../check-append.ts';
import { RevisionConflict, StoreUnavailable } from '../errors.ts';
import type { EventStore, StoredEvent, StorePosition, StreamBatch } from '../event-store.ts';
import { SqliteConnection, type SqlRow } from './connection.ts';
import {
  EVENT_COLUMNS,
  EVENTS_TABLE,
  newestPosition,
  readEvents,
  storePositionOfRow,
  toEvent,
  toEventRow,
} from './event-rows.ts';
import { EventTail } from './event-tail.ts';

/** No limit, in SQLite's LIMIT. */
const NO_LIMIT = -1;

/** An append that waits for the next transaction. Its rows are complete except for the store position. */
interface WaitingAppend {
  stream: string;
  rows: SqlRow[];
  expectedRevision: number;
  resolve(position: StorePosition): void;
  reject(error: unknown): void;
}

/** The outcome of an append: the store position (that of the first attempt, for a retry), or the actual revision. */
type Outcome = { position: number; written: boolean } | { conflict: number };

/**
 * Stores the log in `<folder>/events.db`. Syncs at every commit. Appends that wait at the same time share one
 * transaction and one sync. Another process may write to the same file.
 */
export function openSqliteEventStore(folder: string, options: { pollMs?: number } = {}): EventStore {
  return new SqliteEventStore(join(folder, 'events.db'), options.pollMs ?? 100);
}

class SqliteEventStore implements EventStore {
  readonly #db: SqliteConnection;
  readonly #tail: EventTail;
  #waiting: WaitingAppend[] = [];
  #closed = false;

  constructor(path: string, pollMs: number) {
    this.#db = new SqliteConnection(path, { synchronous: 'FULL', cacheKiB: 16_384 });
    this.#db.exec(EVENTS_TABLE);
    this.#tail = new EventTail(this.#db, `veritrail ${realpathSync(path)}`, pollMs);
  }

  async append(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<StorePosition> {
    const texts = checkAppend(stream, events, expectedRevision);
    if (this.#closed) throw new StoreUnavailable('the event store is closed');
    const rows = events.map((event, index) => toEventRow(event, texts[index]!));
    return new Promise((resolve, reject) => {
      // An immediate runs after all callbacks of this event-loop turn, so appends of one turn share the sync.
      if (this.#waiting.push({ stream, rows, expectedRevision, resolve, reject }) === 1) {
        setImmediate(() => this.#flush());
      }
    });
  }

  appendInOrder(batches: readonly StreamBatch[]): Promise<StorePosition[]> {
    const appends = batches.map(({ stream, events, expectedRevision }) =>
      this.append(stream, events, expectedRevision),
    );
    return Promise.all(appends);
  }

  async readStream(stream: string, fromRevision = 0, limit = NO_LIMIT): Promise<StoredEvent[]> {
    const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`;
    return this.#db.all(sql, [stream, fromRevision, limit]).map(toEvent);
  }

  async *readAll(after: StorePosition | null): AsyncGenerator<readonly StoredEvent[]> {
    const end = newestPosition(this.#db);
    let last = Number(after ?? 0);
    while (last < end) {
      const events = readEvents(this.#db, last, end);
      if (events.length === 0) return;
      yield events;
      last = Number(events.at(-1)!.storePosition);
    }
  }

  subscribeAll(after: StorePosition | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return this.#tail.subscribe(Number(after ?? 0), signal);
  }

  async head(): Promise<StorePosition | null> {
    const newest = newestPosition(this.#db);
    return newest === 0 ? null : storePositionOfRow(newest);
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
      outcomes = this.#db.transaction(() => batch.map((append) => this.#write(append)));
    } catch (error) {
      for (const append of batch) append.reject(error);
      return;
    }
    this.#announce(batch, outcomes);
    for (const [index, outcome] of outcomes.entries()) {
      const append = batch[index]!;
      if ('conflict' in outcome) append.reject(new RevisionConflict(append.stream, outcome.conflict));
      else append.resolve(storePositionOfRow(outcome.position));
    }
  }

  #write({ stream, rows, expectedRevision }: WaitingAppend): Outcome {
    const newest = 'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1';
    const actual = (this.#db.get(newest, [stream])?.[0] as number | undefined) ?? -1;
    if (actual !== expectedRevision)
      return this.#findFirstAttempt(stream, rows, expectedRevision) ?? { conflict: actual };
    let position = 0;
    const insert = 'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)';
    for (const row of rows) position = this.#db.run(insert, row).rowid;
    return { position, written: true };
  }

  /** Returns the first attempt's position if the stream has these events already. Equal ids mean equal events. */
  #findFirstAttempt(stream: string, rows: readonly SqlRow[], expectedRevision: number): Outcome | null {
    const sql = 'SELECT id, position FROM events WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY revision';
    const existingRows = this.#db.all(sql, [stream, expectedRevision, expectedRevision + rows.length]);
    const isSame =
      existingRows.length === rows.length && rows.every((row, index) => row[2] === existingRows[index]![0]);
    return isSame ? { position: existingRows.at(-1)![1] as number, written: false } : null;
  }

  /** Hands the new rows to the tail, so that subscribers get the same events as a later read. */
  #announce(batch: readonly WaitingAppend[], outcomes: readonly Outcome[]): void {
    const head = outcomes.findLast(isWritten)?.position;
    if (head !== undefined) this.#tail.onCommit(head, () => writtenRows(batch, outcomes).map(toEvent));
  }
}

const isWritten = (outcome: Outcome): outcome is Exclude<Outcome, { conflict: number }> =>
  'written' in outcome && outcome.written;

/** Returns the rows that a transaction has written, with their store positions. */
function writtenRows(batch: readonly WaitingAppend[], outcomes: readonly Outcome[]): SqlRow[] {
  return outcomes.flatMap((outcome, index) => {
    if (!isWritten(outcome)) return [];
    const { rows } = batch[index]!;
    const first = outcome.position - rows.length + 1;
    return rows.map((row, offset) => [first + offset, ...row]);
  });
}
