import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreRefused, StoreReplaced } from '../errors.ts';
import type {
  ColumnType,
  ReportingSchema,
  ReportingStore,
  ReportingTable,
  ReportingValue,
  Row,
  RowChange,
  WriteRows,
} from '../reporting-store.ts';
import { quote, SqliteConnection, type Value, whenUnlocked } from './connection.ts';
import { FileIdentity } from './file-identity.ts';

/** The file that reporting tools open. It never gets another name. */
const FILE = 'reports.db';

/** Others than the owner may read the folder and its files if the operator gives them to a group. */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

const SOURCE_TABLE = '_source';

/**
 * Opens the reporting database in a folder, or creates both. Throws away a damaged file, and says so.
 * @throws StoreRefused if the service may not write there
 */
export async function openSqliteReportingStore(
  folder: string,
  schema: ReportingSchema,
  onMended: (finding: string) => void = () => undefined,
): Promise<ReportingStore> {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    throw notWritable(error);
  }
  const path = join(folder, FILE);
  return whenUnlocked(() => new SqliteReportingStore(path, schema, onMended));
}

class SqliteReportingStore implements ReportingStore {
  #db: SqliteConnection;
  #identity: FileIdentity;
  readonly #tables: ReadonlyMap<string, Statements>;

  constructor(
    private readonly path: string,
    private readonly schema: ReportingSchema,
    private readonly onMended: (finding: string) => void,
  ) {
    this.#tables = new Map(schema.tables.map((table) => [table.name, new Statements(table)]));
    [this.#db, this.#identity] = this.#open();
  }

  async source(): Promise<string | null> {
    try {
      this.#identity.check();
      const exists = this.#db.get('SELECT 1 FROM sqlite_schema WHERE name = ?', [SOURCE_TABLE]) !== undefined;
      return exists ? String(this.#db.get(`SELECT source FROM ${SOURCE_TABLE}`)?.[0]) : null;
    } catch (error) {
      if (!(error instanceof StoreReplaced) && !isDamage(error)) throw error;
      this.#db.close();
      if (error instanceof StoreReplaced) this.onMended('The file was replaced or deleted. It is made anew.');
      [this.#db, this.#identity] = this.#open();
      return null;
    }
  }

  async read(table: string): Promise<Row[]> {
    const { columns, select } = this.#statements(table);
    return this.#db
      .all(select)
      .map((row) =>
        Object.fromEntries(columns.map(({ name, type }, index) => [name, fromValue(type, row[index] as Value)])),
      );
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
    let db: SqliteConnection | undefined;
    try {
      db = this.#connect();
      if (db.get('PRAGMA quick_check(1)')?.[0] === 'ok') return [db, new FileIdentity(this.path)];
    } catch (error) {
      if (!isDamage(error)) throw notWritable(error);
    }
    db?.close();
    this.onMended('The file was damaged. It is made anew.');
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(this.path + suffix, { force: true });
    return [this.#connect(), new FileIdentity(this.path)];
  }

  #connect(): SqliteConnection {
    const db = new SqliteConnection(this.path, { synchronous: 'NORMAL', fileMode: FILE_MODE });
    // Erased names and texts leave the file too, which operators give to others. SQLite would keep them in free pages.
    db.exec('PRAGMA secure_delete = ON');
    return db;
  }

  #statements(table: string): Statements {
    const statements = this.#tables.get(table);
    if (statements === undefined) throw new TypeError(`no table is named ${table}`);
    return statements;
  }
}

/** The statements for one table. */
class Statements {
  readonly create: string;
  readonly select: string;
  readonly columns: ReportingTable['columns'];
  private readonly put: string;
  private readonly types: ReadonlyMap<string, ColumnType>;

  constructor(private readonly table: ReportingTable) {
    const { name, columns, key, openBy } = table;
    this.columns = columns;
    this.types = new Map(columns.map((column) => [column.name, column.type]));
    const definitions = columns.map((column) => `${quote(column.name)} ${column.type}`);
    const openIndex = openBy
      ? `; CREATE INDEX ${quote(`${name}_open`)} ON ${quote(name)} (${openBy.map(quote).join(', ')}) WHERE until_position IS NULL`
      : '';
    this.create = `CREATE TABLE ${quote(name)} (${definitions.join(', ')}, PRIMARY KEY (${key.map(quote).join(', ')}))${openIndex}`;
    this.select = `SELECT ${columns.map((column) => quote(column.name)).join(', ')} FROM ${quote(name)}`;
    this.put = `INSERT OR REPLACE INTO ${quote(name)} VALUES (${columns.map(() => '?').join(', ')})`;
  }

  /** Returns the statement for a change, with its values. */
  of(change: RowChange): [sql: string, values: Value[]] {
    if ('put' in change) return [this.put, this.columns.map(({ name }) => this.value(change.put, name))];
    const condition = (names: readonly string[]) => names.map((name) => `${quote(name)} = ?`).join(' AND ');
    if ('remove' in change) {
      const { name, key } = this.table;
      return [
        `DELETE FROM ${quote(name)} WHERE ${condition(key)}`,
        key.map((column) => this.value(change.remove, column)),
      ];
    }
    const columns = Object.keys(change.set);
    const openBy = this.table.openBy ?? [];
    const set = columns.map((name) => `${quote(name)} = ?`).join(', ');
    return [
      `UPDATE ${quote(this.table.name)} SET ${set} WHERE ${condition(openBy)} AND until_position IS NULL AND from_position < ?`,
      [
        ...columns.map((name) => this.value(change.set, name)),
        ...openBy.map((name) => this.value(change.end, name)),
        this.value(change.set, 'until_position'),
      ],
    ];
  }

  private value(row: Row, name: string): Value {
    return toValue(this.types.get(name)!, row[name] ?? null);
  }
}

/**
 * Returns a cell as SQLite stores it. A TIMESTAMP is `2026-06-30 23:59:59.000` in UTC: the form that Python's sqlite3,
 * DuckDB and sqlite-jdbc read as a time, and that sorts as text.
 */
function toValue(type: ColumnType, cell: ReportingValue): Value {
  if (typeof cell === 'boolean') return Number(cell);
  if (cell === null || type !== 'TIMESTAMP') return cell;
  return new Date(String(cell)).toISOString().replace('T', ' ').slice(0, -1);
}

function fromValue(type: ColumnType, value: Value): ReportingValue {
  if (value === null) return null;
  if (type === 'BOOLEAN') return value !== 0;
  return type === 'TIMESTAMP' ? `${String(value).replace(' ', 'T')}Z` : value;
}

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
