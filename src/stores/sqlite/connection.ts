import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../clock/monotonic.ts';
import { DiskFull, StoreRefused, StoreUnavailable } from '../errors.ts';
import { FileIdentity } from './file-identity.ts';

export type Value = string | number | null;
export type SqlRow = readonly (Value | Uint8Array)[];

type Statement = ReturnType<Database.Database['prepare']>;

/** Returns a name in SQL quotes. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

interface ConnectionOptions {
  /**
   * FULL: a commit is on the disk when it returns, and none is made once another file has this one's name. NORMAL: a power
   * cut may undo the newest commits, each as a whole.
   */
  synchronous: 'FULL' | 'NORMAL';
  /**
   * Only this connection writes the new file, and nobody needs it before `close`. So it is written without a journal,
   * in one long transaction, and synced at the end.
   */
  building?: boolean;
  /** Nobody needs the file after `close`. It is written without a journal, and never synced. */
  temporary?: boolean;
  /** Page cache in KiB. */
  cacheKiB?: number;
  /** Permissions of a new file. By default only its owner may read it. */
  fileMode?: number;
}

/** The write-ahead log is copied into the file when it has this many pages. */
const CHECKPOINT_PAGES = 4_000;

/** Limit of memory-mapped bytes of a file that is being built. */
const MAPPED_BYTES = 4 * 1024 ** 3;

/** Limit of cached prepared statements. */
const STATEMENTS = 500;

/** Beginnings of SQLite result codes that mean an error in veritrail's SQL, not in the disk or the file. */
const OUR_FAULT = /^SQLITE_(ERROR|CONSTRAINT|MISUSE|RANGE|MISMATCH)/;

/**
 * A SQLite file. Caches prepared statements by their text, returns rows as arrays, and throws the stores' errors. Never
 * waits for another connection's lock: see whenUnlocked.
 */
export class SqliteConnection {
  readonly #db: Database.Database;
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENTS });
  readonly #path: string;
  readonly #building: boolean;
  readonly #isSynced: boolean;
  #identity: FileIdentity | undefined;
  #closed = false;

  /** Opens the file, or creates it. */
  constructor(path: string, options: ConnectionOptions) {
    this.#path = path;
    this.#building = options.building ?? false;
    this.#isSynced = options.synchronous === 'FULL';
    let db: Database.Database | undefined;
    try {
      create(path, options.fileMode ?? 0o600);
      db = new Database(path);
      this.#db = db;
      this.#db.exec('PRAGMA busy_timeout = 0');
      const isDurable = !(this.#building || options.temporary);
      this.#db.exec(`PRAGMA journal_mode = ${isDurable ? 'WAL' : 'OFF'}`);
      this.#db.exec(`PRAGMA synchronous = ${isDurable ? options.synchronous : 'OFF'}`);
      this.#db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (this.#building) {
        // Creating each index reads the whole file. Memory mapping avoids copying its pages.
        this.#db.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
        this.#db.exec('PRAGMA threads = 2');
      }
      if (options.cacheKiB) this.#db.exec(`PRAGMA cache_size = -${options.cacheKiB}`);
    } catch (error) {
      db?.close();
      throw storeError(error);
    }
  }

  /** Runs the statements that make the new connection usable, and closes it if they fail. */
  setUp(work: () => void): void {
    try {
      work();
      if (this.#isSynced) this.#identity = new FileIdentity(this.#path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @throws StoreReplaced if another file has taken this one's name: what is written now would be lost */
  refuseReplaced(): void {
    this.#identity?.check();
  }

  all(sql: string, parameters: SqlRow = []): SqlRow[] {
    return withStoreErrors(() => this.#statement(sql).all(parameters) as SqlRow[]);
  }

  get(sql: string, parameters: SqlRow = []): SqlRow | undefined {
    return withStoreErrors(() => this.#statement(sql).get(parameters) as SqlRow | undefined);
  }

  run(sql: string, parameters: SqlRow = []): { changes: number; rowid: number } {
    if (this.#identity !== undefined && !this.#db.inTransaction) this.#identity.check();
    const result = withStoreErrors(() => this.#statement(sql).run(parameters));
    return { changes: result.changes, rowid: Number(result.lastInsertRowid) };
  }

  /** Runs statements without results. Doesn't cache them. */
  exec(sql: string): void {
    this.#refuseClosed();
    withStoreErrors(() => this.#db.exec(sql));
  }

  /** Runs `work` in one write transaction. If it throws, nothing is written. */
  transaction<T>(work: () => T): T {
    if (this.#building) return this.#inLongTransaction(work);
    this.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = work();
      this.refuseReplaced();
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

  /** Commits the long transaction of a file that is being built. The next write begins another. */
  flush(): void {
    this.#refuseClosed();
    if (this.#building && this.#db.inTransaction) this.exec('COMMIT');
  }

  /** Copies the write-ahead log into the file and closes both. */
  close(): void {
    if (this.#closed) return;
    if (this.#building) this.#finish();
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next start reads the rest from the write-ahead log.
    }
    this.#closed = true;
    this.#statements.clear();
    this.#db.close();
  }

  #inLongTransaction<T>(work: () => T): T {
    this.#refuseClosed();
    if (!this.#db.inTransaction) this.exec('BEGIN');
    return work();
  }

  /** Makes a built file usable by others and syncs it: a checkpoint after any write syncs the whole file. */
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
      // SQLite has already rolled back on the errors after which this fails.
    }
  }
}

/**
 * Creates an empty file if there is none. Doesn't open an existing file, because a process
 * that closes a file loses all its locks on it, SQLite's too. Another process would then take itself for the last one
 * and remove the write-ahead log (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function create(path: string, mode: number): void {
  try {
    closeSync(openSync(path, 'wx', mode));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Result codes that last until the operator acts: a finding for callers, and advice for the operator. */
const REFUSALS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^SQLITE_(READONLY|PERM)/,
    'The service may not write to a file in its data folder.',
    'Give its user the right to write to all files in DATA_DIR.',
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    "A file in the service's data folder is damaged.",
    'Stop the service and keep a copy of DATA_DIR. Then restore the newest backup; read models are built from the log.',
  ],
];

function withStoreErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
}

function storeError(error: unknown, committing = false): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!code.startsWith('SQLITE_') || OUR_FAULT.test(code)) return error;
  // After these two, a failed COMMIT is certainly rolled back: its last frame was never written, so no recovery finds it.
  const fullDisk = 'The disk of the data folder is full. Free some space there.';
  if (code.startsWith('SQLITE_FULL')) return new DiskFull(fullDisk, false, { cause: error });
  if (code.startsWith('SQLITE_BUSY'))
    return new FileLocked('another process has locked the file', false, { cause: error });
  // The file beside the write-ahead log can't grow, so its disk is full too.
  if (code === 'SQLITE_IOERR_SHMSIZE') return new DiskFull(fullDisk, committing, { cause: error });
  const refusal = committing ? undefined : REFUSALS.find(([pattern]) => pattern.test(code));
  if (refusal) return new StoreRefused(refusal[1], refusal[2], { cause: error });
  return new StoreUnavailable(`the embedded store can't be used now (${code})`, committing, { cause: error });
}

/** Another connection, mostly another process's, has locked the file. Nothing was written. */
export class FileLocked extends StoreUnavailable {}

/** The longest wait for another connection's lock, such as that of a `veritrail` command. */
export const LOCK_WAIT_MS = 1_000;

/** Pause between two attempts. Other connections hold a lock for one commit, which takes some milliseconds. */
export const LOCK_RETRY_MS = 5;

/**
 * Runs work on a file, and again by a timer while the file is locked, at most for LOCK_WAIT_MS. SQLite could wait by itself,
 * but then the thread would stand still: a lock of some seconds would stop every request.
 * @throws FileLocked if the lock lasts longer; otherwise as `work` does
 */
export async function whenUnlocked<T>(work: () => T): Promise<T> {
  const giveUpAt = new GiveUpTime();
  for (;;) {
    try {
      return work();
    } catch (error) {
      giveUpAt.check(error);
    }
    await pause(LOCK_RETRY_MS);
  }
}

/** Does the same, but stands still meanwhile: for files that are opened before anybody is served. */
export function whenUnlockedInPlace<T>(work: () => T): T {
  const giveUpAt = new GiveUpTime();
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return work();
    } catch (error) {
      giveUpAt.check(error);
    }
    Atomics.wait(nothing, 0, 0, LOCK_RETRY_MS);
  }
}

/** The end of a wait, which begins with the first failure. */
class GiveUpTime {
  private at: number | undefined;

  /** @throws the error if it isn't a lock, or no time is left */
  check(error: unknown): void {
    if (!(error instanceof FileLocked)) throw error;
    this.at ??= monotonicMs() + LOCK_WAIT_MS;
    if (monotonicMs() >= this.at) throw error;
  }
}
