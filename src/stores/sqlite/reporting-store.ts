import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../../clock/monotonic.ts';
import { StoreRefused, StoreReplaced } from '../errors.ts';
import type { ReportingSchema, ReportingStore, Row, WriteRows } from '../reporting-store.ts';
import { quote, SqliteConnection, whenUnlocked } from './connection.ts';
import { FileIdentity } from './file-identity.ts';
import { ReportingStatements } from './reporting-statements.ts';

/** The file that reporting tools open. It never gets another name. */
const FILE = 'reports.db';

/** Others than the owner may read the folder and its files if the operator gives them to a group. */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

const SOURCE_TABLE = '_source';

/** Readers may read pages that the service doesn't, so it looks for damage. For 200 MB that takes 0.2 s of its thread. */
const CHECK_INTERVAL_MS = 600_000;

/**
 * Opens the reporting database in a folder, or creates both. Throws away a damaged file, and says so.
 * @throws StoreRefused if the service may not write there
 */
export async function openSqliteReportingStore(
  folder: string,
  schema: ReportingSchema,
  onMended: (finding: string) => void = () => undefined,
  checkIntervalMs = CHECK_INTERVAL_MS,
): Promise<ReportingStore> {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    throw notWritable(error);
  }
  const path = join(folder, FILE);
  return whenUnlocked(() => new SqliteReportingStore(path, schema, onMended, checkIntervalMs));
}

class SqliteReportingStore implements ReportingStore {
  #db: SqliteConnection;
  #identity: FileIdentity;
  #checkedAt = monotonicMs();
  readonly #tables: ReadonlyMap<string, ReportingStatements>;

  constructor(
    private readonly path: string,
    private readonly schema: ReportingSchema,
    private readonly onMended: (finding: string) => void,
    private readonly checkIntervalMs: number,
  ) {
    this.#tables = new Map(schema.tables.map((table) => [table.name, new ReportingStatements(table)]));
    [this.#db, this.#identity] = this.#open();
  }

  async source(): Promise<string | null> {
    try {
      this.#identity.check();
      if (this.#isDamaged()) return this.#openAgain();
      const exists = this.#db.get('SELECT 1 FROM sqlite_schema WHERE name = ?', [SOURCE_TABLE]) !== undefined;
      return exists ? String(this.#db.get(`SELECT source FROM ${SOURCE_TABLE}`)?.[0]) : null;
    } catch (error) {
      if (!(error instanceof StoreReplaced) && !isDamage(error)) throw error;
      if (error instanceof StoreReplaced) this.onMended('The file was replaced or deleted. It is made anew.');
      return this.#openAgain();
    }
  }

  /** Looks for damage if the last look is long ago: in the file, not in the pages that the connection remembers. */
  #isDamaged(): boolean {
    if (monotonicMs() - this.#checkedAt < this.checkIntervalMs) return false;
    this.#checkedAt = monotonicMs();
    this.#db.exec('PRAGMA shrink_memory');
    return !isSound(this.#db);
  }

  /** Opens what is there, and throws it away if it is damaged. Returns null: all rows must be made anew. */
  #openAgain(): null {
    this.#db.close();
    [this.#db, this.#identity] = this.#open();
    return null;
  }

  async read(table: string): Promise<Row[]> {
    const statements = this.#statements(table);
    return this.#db.all(statements.select).map((row) => statements.rowOf(row));
  }

  async update(work: (write: WriteRows) => Promise<void>): Promise<void> {
    let isRemoving = false;
    await this.#inTransaction(() =>
      work((table, changes) => {
        isRemoving ||= changes.some((change) => 'remove' in change);
        return this.#write(table, changes);
      }),
    );
    if (isRemoving) this.#emptyLog();
  }

  async rebuild(source: string, work: (write: WriteRows) => Promise<void>): Promise<void> {
    await this.#inTransaction(async () => {
      this.#createAll();
      await work(this.#write);
      this.#db.run(`INSERT INTO ${SOURCE_TABLE} VALUES (?)`, [source]);
    });
    this.#emptyLog();
  }

  /** Empties the write-ahead log, which has removed rows too. A reader that still needs them keeps it. */
  #emptyLog(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  async close(): Promise<void> {
    try {
      // Then others can read the file while the service doesn't run. Fails while a reader is connected.
      this.#db.exec('PRAGMA journal_mode = DELETE');
    } catch {
      // The next stop does it.
    }
    this.#db.close();
  }

  readonly #write: WriteRows = async (table, changes) => {
    const statements = this.#statements(table);
    for (const change of changes) {
      const [sql, values] = statements.of(change);
      this.#db.run(sql, values);
    }
  };

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await whenUnlocked(() => this.#db.exec('BEGIN IMMEDIATE'));
    try {
      await work();
      this.#db.exec('COMMIT');
    } catch (error) {
      try {
        this.#db.exec('ROLLBACK');
      } catch {
        // SQLite has already rolled back on the errors after which this fails.
      }
      throw error;
    }
  }

  /** Drops everything, also tables of other versions, and creates the tables and views. */
  #createAll(): void {
    const existing = `SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%'`;
    for (const [type, name] of this.#db.all(existing)) this.#db.exec(`DROP ${type} IF EXISTS ${quote(String(name))}`);
    this.#db.exec(`CREATE TABLE ${SOURCE_TABLE} (source TEXT NOT NULL)`);
    for (const { create } of this.#tables.values()) this.#db.exec(create);
    for (const { name, sql } of this.schema.views) this.#db.exec(`CREATE VIEW ${quote(name)} AS ${sql}`);
  }

  #open(): [SqliteConnection, FileIdentity] {
    const opened = this.#openSound();
    if (opened !== null) return opened;
    this.onMended('The file was damaged. It is made anew.');
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(this.path + suffix, { force: true });
    return this.#openSound()!;
  }

  /** Returns null if the file is damaged. The look at it also makes the write-ahead log, which the identity includes. */
  #openSound(): [SqliteConnection, FileIdentity] | null {
    let db: SqliteConnection | undefined;
    try {
      db = this.#connect();
      if (isSound(db)) return [db, new FileIdentity(this.path)];
    } catch (error) {
      if (!isDamage(error)) throw notWritable(error);
    }
    db?.close();
    return null;
  }

  #connect(): SqliteConnection {
    const db = new SqliteConnection(this.path, { synchronous: 'NORMAL', fileMode: FILE_MODE });
    // Erased names and texts leave the file too, which operators give to others. SQLite would keep them in free pages.
    db.exec('PRAGMA secure_delete = ON');
    return db;
  }

  #statements(table: string): ReportingStatements {
    const statements = this.#tables.get(table);
    if (statements === undefined) throw new TypeError(`no table is named ${table}`);
    return statements;
  }
}

/** @throws StoreRefused as SQLite finds some damage */
const isSound = (db: SqliteConnection): boolean => db.get('PRAGMA quick_check(1)')?.[0] === 'ok';

function isDamage(error: unknown): boolean {
  const cause = error instanceof StoreRefused ? (error.cause as { code?: string } | undefined) : undefined;
  return /^SQLITE_(CORRUPT|NOTADB)/.test(cause?.code ?? '');
}

/** Returns the error for a folder that the service may not write; any other error unchanged. */
function notWritable(error: unknown): unknown {
  const { code = '' } = (error ?? {}) as { code?: string };
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) return error;
  const advice = 'Give its user the right to write to it, or set REPORTS_DIR to another folder.';
  return new StoreRefused(
    'Reports are off: the service may not write to the folder of the reporting database.',
    advice,
    {
      cause: error,
    },
  );
}
