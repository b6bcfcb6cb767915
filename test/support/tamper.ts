import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

/** Alters the files of embedded stores as somebody with write access to them could, beside the running service. */

/** Runs statements on the read models that are served, lets `work` see them, and puts all rows back. */
export async function withReadModels<T>(folder: string, statements: readonly string[], work: () => Promise<T>) {
  const [name] = readdirSync(folder).filter((file) => /^read-.+\.db$/.test(file));
  return tampered(join(folder, name!), ['changes_documents', 'links_documents', 'seals_documents'], statements, work);
}

/** The same with the log. */
export async function withLog<T>(folder: string, statements: readonly string[], work: () => Promise<T>) {
  return tampered(join(folder, 'events.db'), ['events'], statements, work);
}

async function tampered<T>(
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
    for (const statement of statements) {
      const { changes } = db.prepare(statement).run();
      if (changes === 0) throw new Error(`nothing was altered by: ${statement}`);
    }
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
