import type { CollectionSpec, Scalar, ViewColumn, ViewSpec } from '../read-store.ts';
import { quote } from './connection.ts';
import { ORGANIZATIONS_TABLE } from './organization-numbers.ts';
import { memberPath } from './stored-text.ts';

/*
 * The tables of read models: one per collection with a column per key, its indexes, and its views.
 */

export type IndexSpec = CollectionSpec['indexes'][number];

export const CHECKPOINTS = `
  CREATE TABLE IF NOT EXISTS checkpoints (
    organization_id TEXT PRIMARY KEY, n INTEGER NOT NULL, store_position TEXT NOT NULL, position INTEGER NOT NULL,
    log_time TEXT NOT NULL, parked INTEGER NOT NULL, out_of_order INTEGER NOT NULL,
    installation TEXT NOT NULL, place TEXT, place_events INTEGER
  ) WITHOUT ROWID;
  CREATE VIEW IF NOT EXISTS progress AS
    SELECT organization_id, position, log_time, parked, installation FROM checkpoints`;

/** Returns a collection's table name. The collection's own name is its view's, which other programs read. */
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

/** Returns the statement for a view. Views are computed when read, so they don't slow down writes. */
export function createView(spec: CollectionSpec, { name, columns, where }: ViewSpec): string {
  const selected = columns.map((column) => `${columnSql(spec, column)} AS ${quote(column.name)}`);
  const whereClause = where ? ` WHERE ${keyColumn(where.key)} = ${literal(where.value)}` : '';
  const from = `${quote(tableName(spec))} d JOIN ${ORGANIZATIONS_TABLE} o ON o.number = d.organization`;
  return `CREATE VIEW IF NOT EXISTS ${quote(name)} AS SELECT ${selected.join(', ')} FROM ${from}${whereClause}`;
}

/**
 * Returns a view column's SQL. Booleans are 1 and 0, lists and objects JSON. Ids come from their columns, which have
 * indexes.
 */
function columnSql(spec: CollectionSpec, column: ViewColumn): string {
  if ('field' in column) {
    if (column.field === 'id') return 'd.id';
    if (column.field === 'organization_id') return 'o.id';
    return `json_extract(doc, ${literal(memberPath(spec, column.field))})`;
  }
  if ('rows' in column) return entriesSql(column);
  const key = keyColumn(column.key);
  return column.none === undefined ? key : `nullif(${key}, ${literal(column.none)})`;
}

/** Returns the SQL of a map whose entries are rows of another table. */
function entriesSql({ name, rows, at }: Extract<ViewColumn, { rows: unknown }>): string {
  const [key, value] = ['key', 'value'].map((member) => `json_extract(e.doc, ${literal(memberPath(rows, member))})`);
  const [record, position] =
    at === 'NOW' ? ['id', Number.MAX_SAFE_INTEGER - 1] : [keyColumn('record_id'), `d.${keyColumn('from_position')}`];
  return `(SELECT json_group_object(${key}, ${value}) FROM ${quote(tableName(rows))} e
    WHERE e.organization = d.organization AND e.${keyColumn('record_id')} = d.${record} AND e.${keyColumn('field')} = ${literal(name)}
    AND e.${keyColumn('until_position')} > ${position} AND e.${keyColumn('from_position')} <= ${position})`;
}

function literal(value: Scalar): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** An index that exists. */
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
