import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportingSchema, Row, RowScratch, WriteRows } from '../reporting-store.ts';
import { quote, SqliteConnection, type Value } from './connection.ts';
import { ReportingStatements } from './reporting-statements.ts';

/** Collects rows in a file of the system's temporary folder. The file has no name, so it goes with the process too. */
export class SqliteRowScratch implements RowScratch {
  readonly #db: SqliteConnection;
  readonly #tables: ReadonlyMap<string, ReportingStatements>;

  constructor(schema: ReportingSchema) {
    this.#tables = new Map(schema.tables.map((table) => [table.name, new ReportingStatements(table)]));
    const folder = mkdtempSync(join(tmpdir(), 'veritrail-reports-'));
    try {
      this.#db = new SqliteConnection(join(folder, 'rows.db'), { synchronous: 'NORMAL', temporary: true });
      this.#db.exec('BEGIN');
      for (const { create } of this.#tables.values()) this.#db.exec(create);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  readonly write: WriteRows = async (table, changes) => {
    const statements = this.#statements(table);
    for (const change of changes) this.#db.run(...statements.of(change));
  };

  get(table: string, key: Row): Row | null {
    const statements = this.#statements(table);
    const [condition, values] = statements.byKey(key);
    const row = this.#db.get(`${statements.select} WHERE ${condition}`, values);
    return row === undefined ? null : statements.rowOf(row);
  }

  *parts(table: string, size: number): Generator<Row[]> {
    const statements = this.#statements(table);
    const page = `SELECT rowid, * FROM ${quote(table)} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
    let last: Value = 0;
    for (;;) {
      const rows = this.#db.all(page, [last, size]);
      if (rows.length === 0) return;
      last = rows.at(-1)![0] as Value;
      yield rows.map(([, ...values]) => statements.rowOf(values));
    }
  }

  close(): void {
    this.#db.close();
  }

  #statements(table: string): ReportingStatements {
    const statements = this.#tables.get(table);
    if (statements === undefined) throw new TypeError(`no table is named ${table}`);
    return statements;
  }
}
