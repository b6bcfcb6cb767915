import type { CollectionSpec } from '../read-store.ts';
import { quote } from './connection.ts';

/** How a collection is laid out: one table with a column a key, its indexes, and a full-text table of words. */

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
 * Which documents have which words, as a full-text table of row ids only: the `words` column confirms what it finds. A
 * new document's words become one small segment, where a table of words would touch a page for each of them.
 * Only a space ends a token. Segments are merged sixteen at a time, not a little at every commit.
 */
export function createWords(spec: CollectionSpec): string {
  const table = quote(wordsTable(spec));
  const tokens = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators ' '";
  return `
    CREATE VIRTUAL TABLE ${table}
      USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = "${tokens}");
    INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 0);
    INSERT INTO ${table} (rowid, words) ${selectWords(spec)}`;
}

/** Writes a document whole, over what was there. */
export function putDocument(spec: CollectionSpec): string {
  const names = columns(spec);
  const values = names.map(() => '?').join(', ');
  const replaced = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${quote(spec.name)} (${names.join(', ')}) VALUES (${values})
    ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`;
}

/** Makes written documents findable by the words they have now. The one parameter is their ids as a JSON array. */
export function putWords(spec: CollectionSpec): string {
  return `INSERT OR REPLACE INTO ${quote(wordsTable(spec))} (rowid, words) ${selectWords(spec)}
    WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rowid`;
}

/** Rows as the table of words takes them. */
const selectWords = (spec: CollectionSpec): string =>
  `SELECT rowid, (SELECT group_concat(value, ' ') FROM json_each(words)) FROM ${quote(spec.name)}`;
