import type { CollectionSpec } from '../read-store.ts';
import { quote } from './connection.ts';

/** How a collection is laid out: one table with a column a key, its indexes, and a table of the words ever seen. */

export type IndexSpec = CollectionSpec['indexes'][number];

export const CHECKPOINTS = `
  CREATE TABLE IF NOT EXISTS checkpoints (
    "group" TEXT PRIMARY KEY, n INTEGER NOT NULL, position TEXT NOT NULL, ordinal INTEGER NOT NULL,
    log_time TEXT NOT NULL, parked INTEGER NOT NULL, installation TEXT NOT NULL
  ) WITHOUT ROWID`;

export const keyColumn = (key: string): string => quote(`k_${key}`);

/** The table's columns in the order that a document's row has them; the document last, as nothing is read past it. */
export function columns(spec: CollectionSpec): string[] {
  const keys = Object.keys(spec.keys).map(keyColumn);
  return ['id', 'organization_id', ...keys, ...(spec.searchable ? ['words'] : []), 'doc'];
}

export function createTable(spec: CollectionSpec): string {
  const keys = Object.entries(spec.keys).map(
    ([key, type]) => `${keyColumn(key)} ${type === 'text' ? 'TEXT' : 'NUMERIC'}`,
  );
  const words = spec.searchable ? ['words TEXT'] : [];
  const parts = ['id TEXT PRIMARY KEY', 'organization_id TEXT NOT NULL', ...keys, ...words, 'doc TEXT NOT NULL'];
  return `CREATE TABLE IF NOT EXISTS ${quote(spec.name)} (${parts.join(', ')})`;
}

/** The index that SQLite makes for the primary key. */
export const idIndex = (spec: CollectionSpec): string => `sqlite_autoindex_${spec.name}_1`;

/** An index's name says all that is in it, so that another one has another name. */
export function indexName(spec: CollectionSpec, index: IndexSpec): string {
  return `${spec.name}(${[index.keys.join(','), ...(index.covers ?? [])].join('+')})`;
}

export function createIndex(spec: CollectionSpec, index: IndexSpec): string {
  const parts = ['organization_id', ...index.keys.map(keyColumn), 'id', ...(index.covers ?? []).map(keyColumn)];
  return `CREATE INDEX IF NOT EXISTS ${quote(indexName(spec, index))} ON ${quote(spec.name)} (${parts.join(', ')})`;
}

export const wordsTable = (spec: CollectionSpec): string => `${spec.name}_words`;

/**
 * Words as a JSON array's text with a space before each. No word holds a space, so ` "pre` is in the text exactly when
 * a word begins with `pre`.
 */
export const wordsText = (words: readonly string[]): string => `[${words.map((word) => ` ${JSON.stringify(word)}`)}]`;
export const prefixText = (prefix: string): string => ` ${JSON.stringify(prefix).slice(0, -1)}`;

/**
 * Every word a document has ever had: enough to find candidates, which the `words` column then confirms. Nothing is
 * taken out, so an update need not know what was there. Made last, in order, from what the table holds.
 */
export function createWords(spec: CollectionSpec): string {
  return `
    CREATE TABLE ${quote(wordsTable(spec))} (
      organization_id TEXT NOT NULL, word TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (organization_id, word, id)
    ) WITHOUT ROWID;
    INSERT INTO ${quote(wordsTable(spec))}
      SELECT organization_id, word.value, ${quote(spec.name)}.id
      FROM ${quote(spec.name)}, json_each(words) AS word ORDER BY 1, 2, 3`;
}

/** Writes a document whole, over what was there. */
export function putDocument(spec: CollectionSpec): string {
  const names = columns(spec);
  const values = names.map(() => '?').join(', ');
  const replaced = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${quote(spec.name)} (${names.join(', ')}) VALUES (${values})
    ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`;
}

/** Remembers a document's words before it is written, unless it has just these already. */
export function putWords(spec: CollectionSpec): string {
  return `INSERT OR IGNORE INTO ${quote(wordsTable(spec))} SELECT ?1, value, ?2 FROM json_each(?3)
    WHERE NOT EXISTS (SELECT 1 FROM ${quote(spec.name)} WHERE id = ?2 AND words = ?3)`;
}
