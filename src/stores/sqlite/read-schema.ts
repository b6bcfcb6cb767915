import type { CollectionSpec } from '../read-store.ts';
import { quote } from './connection.ts';

/*
 * The form in which documents are stored: a table per collection with a column per key, its indexes, and the text of a
 * document. Of a collection with declared members, that is a JSON array of their values, without their names, which would
 * take half of the space. One more element holds what isn't declared.
 */

export type IndexSpec = CollectionSpec['indexes'][number];

export const CHECKPOINTS = `
  CREATE TABLE IF NOT EXISTS checkpoints (
    organization_id TEXT PRIMARY KEY, n INTEGER NOT NULL, store_position TEXT NOT NULL, position INTEGER NOT NULL,
    log_time TEXT NOT NULL, parked INTEGER NOT NULL, out_of_order INTEGER NOT NULL,
    installation TEXT NOT NULL, place TEXT, place_events INTEGER, bytes INTEGER NOT NULL
  ) WITHOUT ROWID`;

/** Returns a collection's table name. */
export const tableName = (spec: Pick<CollectionSpec, 'name'>): string => `${spec.name}_documents`;

/** Returns a key's column. */
export const keyColumn = (key: string): string => quote(`k_${key}`);

/** Returns the table's columns in the order of a row. The document is last, so that reading keys doesn't pass it. */
function columns(spec: CollectionSpec): string[] {
  const keys = Object.keys(spec.keys).map(keyColumn);
  return ['id', 'organization', ...keys, ...(spec.searchable ? ['words'] : []), 'doc'];
}

export function createTable(spec: CollectionSpec): string {
  const keys = Object.entries(spec.keys).map(
    ([key, type]) => `${keyColumn(key)} ${type === 'text' ? 'TEXT' : 'NUMERIC'}`,
  );
  const words = spec.searchable ? ['words TEXT'] : [];
  const row = ['rowid INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE', 'organization INTEGER NOT NULL'];
  const parts = [...row, ...keys, ...words, 'doc TEXT NOT NULL'];
  return `CREATE TABLE IF NOT EXISTS ${quote(tableName(spec))} (${parts.join(', ')})`;
}

/** Returns the name of the index that SQLite creates for the unique id. */
export const idIndex = (spec: CollectionSpec): string => `sqlite_autoindex_${tableName(spec)}_1`;

/** Returns an index's name. It contains all its keys, so different indexes have different names. */
function indexName(spec: CollectionSpec, index: IndexSpec): string {
  return `${spec.name}(${[index.keys.join(','), ...(index.covers ?? [])].join('+')})`;
}

export function createIndex(spec: CollectionSpec, index: IndexSpec): string {
  const parts = ['organization', ...index.keys.map(keyColumn), 'id', ...(index.covers ?? []).map(keyColumn)];
  return `CREATE INDEX IF NOT EXISTS ${quote(indexName(spec, index))} ON ${quote(tableName(spec))} (${parts.join(', ')})`;
}

/** Returns the statement that inserts or replaces a document. */
export function putDocument(spec: CollectionSpec): string {
  const names = columns(spec);
  const values = names.map(() => '?').join(', ');
  const replaced = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${quote(tableName(spec))} (${names.join(', ')}) VALUES (${values})
    ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`;
}

export type ExistingIndex = IndexSpec & { name: string };

/** A collection's spec, and those of its indexes that exist. */
export interface Collection {
  spec: CollectionSpec;
  indexes: readonly ExistingIndex[];
}

/** Returns the indexes of a collection that are among these names. */
export function existingIndexes(spec: CollectionSpec, names: ReadonlySet<string>): ExistingIndex[] {
  return spec.indexes
    .map((index) => ({ ...index, name: indexName(spec, index) }))
    .filter(({ name }) => names.has(name));
}

type Json = Record<string, unknown>;

/** The name, among the members that aren't declared, of the list of declared members that the document lacks. */
const LACKING = '';

/** Returns the text of a document. */
export function toText({ members }: Pick<CollectionSpec, 'members'>, doc: object): string {
  if (members === undefined) return JSON.stringify(doc);
  const values: unknown[] = [];
  let declaredCount = 0;
  for (const name of members) {
    const value = (doc as Json)[name];
    if (value !== undefined) declaredCount += 1;
    values.push(value);
  }
  const isUsual = declaredCount === members.length && Object.keys(doc).length === declaredCount;
  if (!isUsual) values.push(otherMembers(members, doc as Json));
  return JSON.stringify(values);
}

function otherMembers(members: readonly string[], doc: Json): Json {
  const others = Object.fromEntries(Object.entries(doc).filter(([name]) => !members.includes(name)));
  const lacking = members.filter((name) => doc[name] === undefined);
  return lacking.length === 0 ? others : { ...others, [LACKING]: lacking };
}

/** Returns the function that makes a document from its text, parsed. */
export function documentMaker({ members }: Pick<CollectionSpec, 'members'>): (parsed: unknown) => Json {
  if (members === undefined) return (parsed) => parsed as Json;
  // Setting the members of a copy is much faster than adding them one by one, if JSON.parse made the original.
  const noValues = JSON.parse(`{${members.map((name) => `${JSON.stringify(name)}:null`)}}`) as Json;
  return (parsed) => {
    const values = parsed as unknown[];
    const doc = { ...noValues };
    for (let index = 0; index < members.length; index += 1) doc[members[index]!] = values[index];
    if (values.length === members.length) return doc;
    const { [LACKING]: lacking = [], ...others } = values.at(-1) as Json;
    for (const name of lacking as string[]) delete doc[name];
    return Object.assign(doc, others);
  };
}
