/** Reads the reporting database as a reporting tool does: as docs/read-models.md says, without the service. */
import { join } from 'node:path';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { REPORTING_SCHEMA } from '../../../src/reporting/tables.ts';

export type ReportingRow = Record<string, unknown>;

export interface ReportingDatabase {
  /** Returns the rows of a table, without MongoDB's own fields. Booleans are 0 and 1, times as SQLite has them. */
  rows(table: string): Promise<ReportingRow[]>;
  /** Runs an SQL statement; null if the store has no SQL. */
  query(sql: string, parameters?: object): ReportingRow[] | null;
  /** Runs an aggregation; null if the store is no MongoDB. */
  aggregate(collection: string, stages: object[]): Promise<ReportingRow[]> | null;
  close(): Promise<void>;
}

/** Opens the database of a service with these settings. */
export function openReportingDatabase(env: Record<string, string>): Promise<ReportingDatabase> {
  return env.MONGODB_URL === undefined ? openFile(env) : openDatabase(env.MONGODB_URL);
}

/** Returns the path of the file of an embedded service. */
export function reportsFile({
  DATA_DIR = '',
  REPORTS_DIR = join(DATA_DIR, 'reports'),
}: Record<string, string>): string {
  return join(REPORTS_DIR, 'reports.db');
}

async function openFile(env: Record<string, string>): Promise<ReportingDatabase> {
  const db = new Database(reportsFile(env), { readonly: true });
  return {
    rows: async (table) => db.prepare(`SELECT * FROM "${table}"`).all() as ReportingRow[],
    query: (sql, parameters = {}) => db.prepare(sql).all(parameters) as ReportingRow[],
    aggregate: () => null,
    close: async () => {
      db.close();
    },
  };
}

async function openDatabase(url: string): Promise<ReportingDatabase> {
  const client = await MongoClient.connect(url);
  const db = client.db(`${client.db().databaseName}_reports`);
  return {
    async rows(table) {
      const documents = await db
        .collection(table)
        .find({}, { projection: { _id: 0 } })
        .toArray();
      return documents.map((document) =>
        Object.fromEntries(Object.entries(document).map(([name, value]) => [name, asInSqlite(table, name, value)])),
      );
    },
    query: () => null,
    aggregate: (collection, stages) => db.collection(collection).aggregate<ReportingRow>(stages).toArray(),
    close: () => client.close(),
  };
}

function asInSqlite(table: string, column: string, value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (!(value instanceof Date)) return value;
  const { columns } = REPORTING_SCHEMA.tables.find(({ name }) => name === table)!;
  const isDate = columns.find(({ name }) => name === column)!.type === 'DATE';
  return isDate ? value.toISOString().slice(0, 10) : value.toISOString().replace('T', ' ').slice(0, -1);
}
