import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import type { EventMetadata, TrailEvent } from '../../trail/event.ts';
import type { EventTexts } from '../../trail/hash.ts';
import { checkAppend } from '../check-append.ts';
import { RevisionConflict, StoreUnavailable } from '../errors.ts';
import type { EventStore, StoredEvent, StorePosition, StreamBatch } from '../event-store.ts';
import { SqliteConnection, type SqlRow } from './connection.ts';

/**
 * The log's only table. Its `position` is the store position: SQLite's row id. Events are never deleted and an undone
 * insert uses no number, so these are 1, 2, 3, … without a gap.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  )`;

const COLUMNS = 'position, stream, revision, id, type, data, metadata';

/**
 * Events per read: enough to make the cost of the call small, and few enough not to delay others or to survive the
 * garbage collector's first pass.
 */
const PAGE = 500;
/** No limit, in SQLite's LIMIT. */
const NO_LIMIT = -1;

/** Returns the next page of the log after a store position, up to and including `last`. */
function readPage(db: SqliteConnection, after: number, last: number): StoredEvent[] {
  const sql = `SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE}`;
  return db.all(sql, [after, last]).map(toEvent);
}

/** Returns the store position of the newest event, 0 in an empty log. */
function newestPosition(db: SqliteConnection): number {
  return (db.get('SELECT max(position) FROM events')?.[0] as number | null | undefined) ?? 0;
}

/** Returns the event of a row. */
function toEvent(row: SqlRow): StoredEvent {
  const [position, stream, revision, id, type, data, metadata] = row as [number, string, number, ...string[]];
  return {
    id: id!,
    stream,
    revision,
    type: type!,
    data: JSON.parse(data!) as Record<string, unknown>,
    metadata: JSON.parse(metadata!) as EventMetadata,
    storePosition: storePositionOfRow(position),
    texts: { data: data!, metadata: metadata! },
  };
}

function storePositionOfRow(position: number): StorePosition {
  return String(position) as StorePosition;
}

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
    this.#tail = new EventTail(this.#db, `veritrail ${realpathSync(path)}`, pollMs);
  }

  async append(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<StorePosition> {
    const texts = checkAppend(stream, events, expectedRevision);
    if (this.#closed) throw new StoreUnavailable('the event store is closed');
    const rows = events.map((event, index) => toRow(event, texts[index]!));
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
    const sql = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`;
    return this.#db.all(sql, [stream, fromRevision, limit]).map(toEvent);
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
    const existingRows = this.#db.all(sql, [stream, expectedRevision, expectedRevision + rows.length]);
    const isSame =
      existingRows.length === rows.length && rows.every((row, index) => row[2] === existingRows[index]![0]);
    return isSame ? { position: existingRows.at(-1)![1] as number, written: false } : null;
  }

  /** Hands the new rows to the tail, so that subscribers get the same events as a later read. */
  #announce(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    const head = outcomes.findLast(isWritten)?.position;
    if (head !== undefined) this.#tail.onCommit(head, () => writtenRows(batch, outcomes).map(toEvent));
  }
}

const isWritten = (outcome: Outcome): outcome is Exclude<Outcome, { conflict: number }> =>
  'written' in outcome && outcome.written;

/** Returns the rows that a transaction has written, with their store positions. */
function writtenRows(batch: readonly Waiting[], outcomes: readonly Outcome[]): SqlRow[] {
  return outcomes.flatMap((outcome, index) => {
    if (!isWritten(outcome)) return [];
    const { rows } = batch[index]!;
    const first = outcome.position - rows.length + 1;
    return rows.map((row, offset) => [first + offset, ...row]);
  });
}

/** Writes data and metadata in canonical form, so that an export can copy the texts. */
function toRow({ stream, revision, id, type }: TrailEvent, { data, metadata }: EventTexts): SqlRow {
  return [stream, revision, id, type, data, metadata];
}

/**
 * Serves subscriptions. Wakes subscribers at once for commits of this process, also of its other threads, and within
 * `pollMs` for those of other processes. Store positions have no gaps, so a subscriber just before the newest commit gets
 * its events from memory. Others read the file. Either way each event is delivered once, in order.
 */
class EventTail {
  readonly #db: SqliteConnection;
  readonly #pollMs: number;
  readonly #sleeping = new Set<() => void>();
  /** Carries the newest store position of each commit to the tails in other threads. */
  readonly #commits: BroadcastChannel;
  /** The newest known store position, of this process or seen from others. */
  #head = 0;
  /** The events of this store's newest commit. */
  #newest: readonly StoredEvent[] = [];
  #subscribers = 0;
  #timer: NodeJS.Timeout | undefined;
  #dataVersion = 0;
  #closed = false;

  /** @param channel a name that all threads of this process use for this file, and for no other */
  constructor(db: SqliteConnection, channel: string, pollMs: number) {
    this.#db = db;
    this.#pollMs = pollMs;
    this.#commits = new BroadcastChannel(channel);
    this.#commits.unref();
  }

  /** Notes a commit of this store. Calls `events` only if there are subscribers. */
  onCommit(head: number, events: () => StoredEvent[]): void {
    this.#commits.postMessage(head);
    if (this.#subscribers === 0) return;
    this.#head = head;
    this.#newest = events();
    this.#wake();
  }

  async *subscribe(after: number, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    if (this.#subscribers++ === 0) this.#watch();
    try {
      let last = after;
      while (!signal.aborted && !this.#closed) {
        const events = this.#after(last);
        if (events.length === 0) {
          await this.#sleep(signal);
          continue;
        }
        yield events;
        last = Number(events.at(-1)!.storePosition);
      }
    } finally {
      if (--this.#subscribers === 0) this.#unwatch();
    }
  }

  /** Ends every subscription. */
  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#commits.close();
    this.#wake();
  }

  /** Returns the events after a store position. Returns none while the file can't be read: the next poll retries. */
  #after(last: number): readonly StoredEvent[] {
    if (last >= this.#head) return [];
    if (Number(this.#newest[0]?.storePosition) === last + 1) return this.#newest;
    try {
      return readPage(this.#db, last, this.#head);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#dataVersion = 0;
      return [];
    }
  }

  #watch(): void {
    this.#dataVersion = 0;
    this.#look();
    this.#commits.onmessage = (message) => this.#onCommitElsewhere((message as { data: number }).data);
    this.#timer = setInterval(() => this.#look(), this.#pollMs).unref();
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#commits.onmessage = () => undefined;
    this.#newest = [];
  }

  #onCommitElsewhere(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.#wake();
  }

  /** Checks if another connection has committed. `data_version` shows it without reading a table. */
  #look(): void {
    try {
      const version = this.#db.get('PRAGMA data_version')![0] as number;
      if (version === this.#dataVersion) return;
      this.#head = newestPosition(this.#db);
      this.#dataVersion = version;
      this.#wake();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  #wake(): void {
    for (const wake of [...this.#sleeping]) wake();
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleeping.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleeping.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
