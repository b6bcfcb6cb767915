import type { AnyBulkWriteOperation } from 'mongodb';
import type { ColumnType, ReportingTable, ReportingValue, Row, RowChange } from '../reporting-store.ts';
import type { MongoRow } from './client.ts';

/** A row with the id of the build that wrote it. A rebuild removes the rows of other builds at its end. */
export interface ReportingDocument extends MongoRow {
  _build: string;
}

/** Returns a row as a build writes it. */
export function documentOf(table: ReportingTable, row: Row, build: string): ReportingDocument {
  const cells = table.columns.map(({ name, type }) => [name, toBson(type, row[name] ?? null)]);
  return { _id: idOf(table.key, row), ...Object.fromEntries(cells), _build: build };
}

/** Returns the values of columns that are set. */
export function cellsOf({ columns }: ReportingTable, set: Row): Record<string, ReportingValue | Date> {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return Object.fromEntries(Object.entries(set).map(([name, cell]) => [name, toBson(types.get(name)!, cell)]));
}

export function operationOf(
  table: ReportingTable,
  change: RowChange,
  build: string,
): AnyBulkWriteOperation<ReportingDocument> {
  if ('put' in change) return replacement(documentOf(table, change.put, build));
  if ('remove' in change) return { deleteOne: { filter: { _id: idOf(table.key, change.remove) } } };
  // Rows of other builds are about to be replaced.
  const began = { $lt: change.set.until_position };
  const filter = { ...change.end, from_position: began, until_position: null, _build: build };
  return { updateOne: { filter, update: { $set: cellsOf(table, change.set) } } };
}

export function replacement({ _id, ...fields }: ReportingDocument): AnyBulkWriteOperation<ReportingDocument> {
  return { replaceOne: { filter: { _id }, replacement: fields, upsert: true } };
}

/** Returns a row's values of some columns as a text. */
export function idOf(key: readonly string[], row: Row): string {
  return key.map((column) => row[column]).join(' ');
}

function toBson(type: ColumnType, cell: ReportingValue): ReportingValue | Date {
  return cell !== null && (type === 'DATE' || type === 'TIMESTAMP') ? new Date(String(cell)) : cell;
}
