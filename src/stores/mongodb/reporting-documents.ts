import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { ColumnType, ReportingTable, ReportingValue, Row, RowChange } from '../reporting-store.ts';
import type { MongoRow } from './client.ts';

/** Returns a row as a document. */
export function documentOf({ columns, key }: ReportingTable, row: Row): MongoRow {
  const cells = columns.map(({ name, type }) => [name, toBson(type, row[name] ?? null)]);
  return { _id: idOf(key, row), ...Object.fromEntries(cells) };
}

/** Returns a document as a row. */
export function rowOf({ columns }: ReportingTable, document: MongoRow): Row {
  return Object.fromEntries(columns.map(({ name, type }) => [name, fromBson(type, document[name])]));
}

/** Returns true if a stored document is that of a row. Earlier versions wrote `_build` too. */
export function isDocumentOf(table: ReportingTable, row: Row, { _build, ...stored }: MongoRow): boolean {
  return isDeepStrictEqual(stored, documentOf(table, row));
}

export function operationOf(table: ReportingTable, change: RowChange): AnyBulkWriteOperation<MongoRow> {
  if ('put' in change) return replacement(documentOf(table, change.put));
  if ('remove' in change) return { deleteOne: { filter: { _id: idOf(table.key, change.remove) } } };
  const filter = { ...change.end, from_position: { $lt: change.set.until_position }, until_position: null };
  const types = new Map(table.columns.map(({ name, type }) => [name, type]));
  const cells = Object.entries(change.set).map(([name, cell]) => [name, toBson(types.get(name)!, cell)]);
  return { updateOne: { filter, update: { $set: Object.fromEntries(cells) } } };
}

export function replacement({ _id, ...fields }: MongoRow): AnyBulkWriteOperation<MongoRow> {
  return { replaceOne: { filter: { _id }, replacement: fields, upsert: true } };
}

/** Returns a row's values of some columns as a text. */
function idOf(key: readonly string[], row: Row): string {
  return key.map((column) => row[column]).join(' ');
}

function toBson(type: ColumnType, cell: ReportingValue): ReportingValue | Date {
  return cell !== null && (type === 'DATE' || type === 'TIMESTAMP') ? new Date(String(cell)) : cell;
}

function fromBson(type: ColumnType, value: unknown): ReportingValue {
  if (!(value instanceof Date)) return (value ?? null) as ReportingValue;
  const text = value.toISOString();
  return type === 'DATE' ? text.slice(0, 10) : text;
}
