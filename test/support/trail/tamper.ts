import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

/** Alters the files of embedded stores while the service runs, as an insider with write access could. */

/** Runs statements on the read models that are served, lets `work` see them, and puts all rows back. */
export async function withReadModels<T>(folder: string, statements: readonly string[], work: () => Promise<T>) {
  return withTampering(
    servedFile(folder),
    ['changes_documents', 'links_documents', 'seals_documents'],
    statements,
    work,
  );
}

/** Runs statements on the read models that are served, and leaves them so. */
export function alterReadModels(folder: string, statements: readonly string[]): void {
  const db = new Database(servedFile(folder));
  for (const statement of statements) alter(db, statement);
  db.close();
}

function servedFile(folder: string): string {
  return join(folder, readdirSync(folder).find((file) => /^read-.+\.db$/.test(file))!);
}

function alter(db: Database.Database, statement: string): void {
  const { changes } = db.prepare(statement).run();
  if (changes === 0) throw new Error(`nothing was altered by: ${statement}`);
}

/** Runs statements on the log, lets `work` see the result, and puts all rows back. */
export async function withLog<T>(folder: string, statements: readonly string[], work: () => Promise<T>) {
  return withTampering(join(folder, 'events.db'), ['events'], statements, work);
}

async function withTampering<T>(
  file: string,
  tables: readonly string[],
  statements: readonly string[],
  work: () => Promise<T>,
) {
  const db = new Database(file);
  const tableContents = tables.map(
    (table) => [table, db.prepare(`SELECT * FROM ${table}`).raw().all() as unknown[][]] as const,
  );
  try {
    for (const statement of statements) alter(db, statement);
    return await work();
  } finally {
    db.exec('BEGIN');
    for (const [table, rows] of tableContents) {
      db.exec(`DELETE FROM ${table}`);
      for (const row of rows) db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
    }
    db.exec('COMMIT');
    db.close();
  }
}
