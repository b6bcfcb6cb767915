import { join } from 'node:path';
import { canonical } from '../../trail/canonical.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { checkAppend } from '../check-append.ts';
import { RevisionConflict, StoreUnavailable } from '../errors.ts';
import type { EventStore, StoredEvent, StorePosition } from '../event-store.ts';
import { SqliteConnection, type SqlRow } from './connection.ts';
import { newestPosition, readPage, readStreamRows, SCHEMA, storePositionOfRow, toEvent } from './event-rows.ts';
import { EventTail } from './event-tail.ts';

/** An append that waits for the next transaction. Its rows are complete except for the store position. */
interface Waiting {
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
  #waiting: Waiting[] = [];
  #closed = false;

  constructor(path: string, pollMs: number) {
    this.#db = new SqliteConnection(path, { synchronous: 'FULL', cacheKiB: 16_384 });
    this.#db.exec(SCHEMA);
    this.#tail = new EventTail(this.#db, pollMs);
  }

  async append(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<StorePosition> {
    checkAppend(stream, events, expectedRevision);
    if (this.#closed) throw new StoreUnavailable('the event store is closed');
    const rows = events.map(toRow);
    return new Promise((resolve, reject) => {
      // An immediate runs after all callbacks of this event-loop turn, so appends of one turn share the sync.
      if (this.#waiting.push({ stream, rows, expectedRevision, resolve, reject }) === 1) {
        setImmediate(() => this.#flush());
      }
    });
  }

  async readStream(stream: string, fromRevision = 0, limit?: number): Promise<StoredEvent[]> {
    return readStreamRows(this.#db, stream, fromRevision, limit);
  }

  async *readAll(after: StorePosition | null): AsyncGenerator<readonly StoredEvent[]> {
    const end = newestPosition(this.#db);
    let last = Number(after ?? 0);
    while (last < end) {
      const events = readPage(this.#db, last, end);
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

  #write({ stream, rows, expectedRevision }: Waiting): Outcome {
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
    const existing = this.#db.all(sql, [stream, expectedRevision, expectedRevision + rows.length]);
    const isSame = existing.length === rows.length && rows.every((row, index) => row[2] === existing[index]![0]);
    return isSame ? { position: existing.at(-1)![1] as number, written: false } : null;
  }

  /** Hands the new rows to the tail, so that subscribers get the same events as a later read. */
  #announce(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    const rows: SqlRow[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (!('written' in outcome) || !outcome.written) continue;
      const appended = batch[index]!.rows;
      const first = outcome.position - appended.length + 1;
      rows.push(...appended.map((row, offset) => [first + offset, ...row]));
    }
    const head = rows.at(-1)?.[0] as number | undefined;
    if (head !== undefined) this.#tail.committed(head, () => rows.map(toEvent));
  }
}

/** Writes data and metadata in canonical form, so that an export can copy the texts. */
function toRow(event: TrailEvent): SqlRow {
  const { stream, revision, id, type, data, metadata } = event;
  return [stream, revision, id, type, canonical(data), canonical(metadata)];
}
