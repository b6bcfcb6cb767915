import { closeSync, openSync } from 'node:fs';
import Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { StoreUnavailable } from '../errors.ts';

export type Value = string | number | null;
export type SqlRow = readonly Value[];

type Statement = ReturnType<Database.Database['prepare']>;

/** A name as SQL spells it. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export interface ConnectionOptions {
  /** FULL: a commit is on the disk when it answers. NORMAL: a power cut may take the newest commits, never part of one. */
  synchronous: 'FULL' | 'NORMAL';
  /**
   * The file is being made by this connection alone and is worthless until `close`: it is written without a journal,
   * in one long transaction, and synced at the end.
   */
  building?: boolean;
  /** Page cache in KiB. */
  cacheKiB?: number;
}

/** Longest wait for another process's transaction, such as the command line's beside the service. */
const BUSY_MS = 1_000;

/** Pages of write-ahead log that are worth the syncs of copying them into the file. */
const CHECKPOINT_PAGES = 4_000;

/** How much of a file that is being built is mapped into memory at the most. */
const MAPPED_BYTES = 4 * 1024 ** 3;

/** Distinct SQL texts whose prepared statements are kept. */
const STATEMENTS = 500;

/** What a SQLite result code begins with when our own SQL is at fault, not the disk or the file. */
const OUR_FAULT = /^SQLITE_(ERROR|CONSTRAINT|MISUSE|RANGE|MISMATCH)/;

/** After these nothing of a failed COMMIT can be found by a later recovery: its last frame was never written. */
const SURELY_ROLLED_BACK = /^SQLITE_(FULL|BUSY)/;

/** One SQLite file: prepared statements kept by their text, rows as arrays, errors as the stores' own. */
export class Connection {
  readonly #db: Database.Database;
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENTS });
  readonly #building: boolean;
  #closed = false;

  /** Opens the file, or makes it, readable by its owner only. */
  constructor(path: string, options: ConnectionOptions) {
    this.#building = options.building ?? false;
    try {
      create(path);
      this.#db = new Database(path);
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      this.#db.exec(`PRAGMA journal_mode = ${this.#building ? 'OFF' : 'WAL'}`);
      this.#db.exec(`PRAGMA synchronous = ${this.#building ? 'OFF' : options.synchronous}`);
      this.#db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (this.#building) {
        // Each index reads the whole file once more: mapped, its pages are not copied.
        this.#db.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
        this.#db.exec('PRAGMA threads = 2');
      }
      if (options.cacheKiB) this.#db.exec(`PRAGMA cache_size = -${options.cacheKiB}`);
    } catch (error) {
      throw storeError(error);
    }
  }

  all(sql: string, parameters: SqlRow = []): SqlRow[] {
    try {
      return this.#statement(sql).all(parameters) as SqlRow[];
    } catch (error) {
      throw storeError(error);
    }
  }

  get(sql: string, parameters: SqlRow = []): SqlRow | undefined {
    try {
      return this.#statement(sql).get(parameters) as SqlRow | undefined;
    } catch (error) {
      throw storeError(error);
    }
  }

  run(sql: string, parameters: SqlRow = []): { changes: number; rowid: number } {
    try {
      const result = this.#statement(sql).run(parameters);
      return { changes: result.changes, rowid: Number(result.lastInsertRowid) };
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Runs statements that answer nothing, unprepared. */
  exec(sql: string): void {
    this.#refuseClosed();
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Does `work` in one write transaction; when it throws, nothing of it was done. */
  transaction<T>(work: () => T): T {
    if (this.#building) return this.#inLongTransaction(work);
    this.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#rollback();
      throw error;
    }
    try {
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      throw storeError(error, true);
    }
    return result;
  }

  /** Ends the long transaction of a file that is being built; the next one begins with the next write. */
  flush(): void {
    if (this.#building && this.#db.inTransaction) this.exec('COMMIT');
  }

  /** Empties the write-ahead log into the file and lets go of both. */
  close(): void {
    if (this.#closed) return;
    if (this.#building) this.#finish();
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What is in the write-ahead log is read from there at the next start.
    }
    this.#closed = true;
    this.#statements.clear();
    this.#db.close();
  }

  #inLongTransaction<T>(work: () => T): T {
    if (!this.#db.inTransaction) this.exec('BEGIN');
    return work();
  }

  /** Makes a built file one that others may open, and whole on the disk: a checkpoint of any write syncs all of the file. */
  #finish(): void {
    this.flush();
    this.exec('PRAGMA journal_mode = WAL');
    this.exec('PRAGMA synchronous = FULL');
    this.exec('PRAGMA user_version = 1');
  }

  #statement(sql: string): Statement {
    this.#refuseClosed();
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      if (statement.reader) statement.raw();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #refuseClosed(): void {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
  }

  #rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself on the errors that make this one fail.
    }
  }
}

/**
 * Makes an empty file for its owner only, where there is none. What is there is not opened: a process that closes a file
 * gives up every lock it has on it, SQLite's too, also of a connection that is closed but not collected. Other processes
 * would take themselves for the last one, and remove the write-ahead log (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function storeError(error: unknown, committing = false): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!code.startsWith('SQLITE_') || OUR_FAULT.test(code)) return error;
  const ambiguous = committing && !SURELY_ROLLED_BACK.test(code);
  return new StoreUnavailable(`the embedded store cannot serve now (${code})`, ambiguous, { cause: error });
}
