import { join } from 'node:path';
import {
  ACCOUNT_TABLES,
  type AccountRange,
  type AccountRecord,
  type AccountStore,
  type AccountTable,
  type AccountTableName,
} from '../account-store.ts';
import { quote, SqliteConnection, type SqlRow, whenUnlocked, whenUnlockedInPlace } from './connection.ts';

/**
 * Stores accounts in `<folder>/accounts.db`: one table of JSON records per kind, with an index per look-up field. Syncs
 * at every write. Reads from the file every time, so that another process's change counts at once.
 */
export function openSqliteAccountStore(folder: string): AccountStore {
  return whenUnlockedInPlace(() => new SqliteAccountStore(join(folder, 'accounts.db')));
}

class SqliteAccountStore implements AccountStore {
  readonly #db: SqliteConnection;

  constructor(path: string) {
    this.#db = new SqliteConnection(path, { synchronous: 'FULL' });
    const createTables = () => {
      for (const [name, table] of Object.entries(ACCOUNT_TABLES)) this.#db.exec(createTable(name, table));
    };
    this.#db.setUp(() => {
      // Erased records leave the file too. SQLite would keep them in free pages.
      this.#db.exec('PRAGMA secure_delete = ON');
      this.#db.transaction(createTables);
    });
  }

  insert(table: AccountTableName, record: AccountRecord): Promise<boolean> {
    const sql = `INSERT OR IGNORE INTO ${quote(table)} VALUES (?, ?)`;
    return whenUnlocked(() => this.#db.run(sql, [record.id, JSON.stringify(record)]).changes === 1);
  }

  async put(table: AccountTableName, record: AccountRecord): Promise<void> {
    const sql = `INSERT INTO ${quote(table)} VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record`;
    await whenUnlocked(() => this.#db.run(sql, [record.id, JSON.stringify(record)]));
  }

  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null> {
    return whenUnlocked(() => this.#get<T>(table, id));
  }

  async find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]> {
    requireLookup(table, field);
    return this.#select(`SELECT record FROM ${quote(table)} WHERE ${path(field)} = ?`, [value]);
  }

  async page<T extends AccountRecord>(table: AccountTableName, range: AccountRange): Promise<T[]> {
    const { field, value, from = '', below, limit } = range;
    requireLookup(table, field);
    const sql = `SELECT record FROM ${quote(table)} WHERE ${path(field)} = ? AND id >= ?`;
    const end = below === undefined ? '' : ' AND id < ?';
    const values = below === undefined ? [value, from, limit] : [value, from, below, limit];
    return this.#select(`${sql}${end} ORDER BY id DESC LIMIT ?`, values);
  }

  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]> {
    return this.#select(`SELECT record FROM ${quote(table)}`);
  }

  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    expected: Record<string, unknown> = {},
  ): Promise<boolean> {
    const replace = () => {
      const record = this.#get(table, id);
      if (!record || !hasFields(record, expected)) return false;
      const sql = `UPDATE OR IGNORE ${quote(table)} SET record = ? WHERE id = ?`;
      return this.#db.run(sql, [JSON.stringify({ ...record, ...fields }), id]).changes === 1;
    };
    return whenUnlocked(() => this.#db.transaction(replace));
  }

  remove(table: AccountTableName, id: string): Promise<boolean> {
    return whenUnlocked(() => this.#db.run(`DELETE FROM ${quote(table)} WHERE id = ?`, [id]).changes === 1);
  }

  async sweep(table: AccountTableName, field: string, below: string): Promise<number> {
    requireLookup(table, field);
    const sql = `DELETE FROM ${quote(table)} WHERE ${path(field)} < ?`;
    return whenUnlocked(() => this.#db.run(sql, [below]).changes);
  }

  async check(): Promise<void> {
    await this.get('secrets', 'installation');
    this.#db.refuseReplaced();
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #select<T extends AccountRecord>(sql: string, values: SqlRow = []): Promise<T[]> {
    return whenUnlocked(() => this.#db.all(sql, values).map(toRecord<T>));
  }

  #get<T extends AccountRecord>(table: AccountTableName, id: string): T | null {
    const row = this.#db.get(`SELECT record FROM ${quote(table)} WHERE id = ?`, [id]);
    return row ? toRecord<T>(row) : null;
  }
}

function requireLookup(table: AccountTableName, field: string): void {
  const { unique, lookup }: AccountTable = ACCOUNT_TABLES[table];
  if (!unique.includes(field) && !lookup.includes(field)) throw new TypeError(`${table} has no look-up by ${field}`);
}

/** Empty fields are null in SQL, because a unique index allows any number of nulls. */
function createTable(name: string, table: AccountTable): string {
  const index = (kind: string, field: string) =>
    `CREATE ${kind} IF NOT EXISTS ${quote(`${name}(${field})`)} ON ${quote(name)} (${path(field)}${kind === 'INDEX' ? ', id' : ''})`;
  return [
    `CREATE TABLE IF NOT EXISTS ${quote(name)} (id TEXT PRIMARY KEY, record TEXT NOT NULL)`,
    ...table.unique.map((field) => index('UNIQUE INDEX', field)),
    ...table.lookup.map((field) => index('INDEX', field)),
  ].join(';');
}

/** Returns the SQL for a field of the record's JSON. Fields are the names in ACCOUNT_TABLES. */
const path = (field: string): string => `record ->> '$.${field}'`;

function toRecord<T extends AccountRecord>(row: SqlRow): T {
  return JSON.parse(row[0] as string) as T;
}

/** Returns true if a record's fields have these values. An absent field equals null. */
function hasFields(record: AccountRecord, expected: Record<string, unknown>): boolean {
  return Object.entries(expected).every(
    ([field, value]) => JSON.stringify(record[field] ?? null) === JSON.stringify(value ?? null),
  );
}
