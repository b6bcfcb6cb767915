import type { ViewColumn, ViewSpec } from '../../stores/read-store.ts';
import { OPEN_END } from '../relations/related-counts.ts';
import type { ReadModel } from './read-model.ts';

/*
 * The published part of the read models. docs/read-models.md is generated from it. Names and meanings are a promise: a
 * field with another name or meaning is a new field in addition to the old one. A new shape of a view is a new view (`risks_2`).
 * test/fixtures/read-models.json lists everything that was ever promised.
 */

/** The collection of map entries, as the views of their records read it. */
export const MAP_ENTRY_ROWS = {
  name: 'map_entries',
  members: ['record_id', 'field', 'key', 'value', 'from_position', 'until_position'],
} as const;

const FIRST_COLUMNS = ['id', 'organization_id'];
const LAST_COLUMNS = ['owner_id', 'created_at', 'updated_at', 'revision', 'position', 'archived_at', 'stale'];

/** Returns a family's columns: the published fields between those of every record. */
export function columnNames({ publishedFields }: ReadModel): string[] {
  const fixedColumns = [...FIRST_COLUMNS, ...LAST_COLUMNS];
  return [...FIRST_COLUMNS, ...publishedFields.filter((name) => !fixedColumns.includes(name)), ...LAST_COLUMNS];
}

const fieldColumns = (fields: readonly string[]): ViewColumn[] => fields.map((name) => ({ name, field: name }));

/** The version is valid from `from_position` until before `until_position`, which is null for the current one. */
export const SPAN_COLUMNS: readonly ViewColumn[] = [
  { name: 'from_position', key: 'from_position' },
  { name: 'until_position', key: 'until_position', none: OPEN_END },
];

/** Returns the view of a family's current records. */
export function recordView(model: ReadModel): ViewSpec {
  const columns = fieldColumns(columnNames(model));
  return { name: model.family.plural, columns: withEntries(columns, [model.largeMap?.field], 'NOW') };
}

/** Returns the view of all versions of a family's records. Each version's document has its own id. */
export function versionView(model: ReadModel, name: string): ViewSpec {
  const [, ...fields] = fieldColumns(columnNames(model));
  const columns = withEntries(fields, model.mapFields ?? [], 'VERSION');
  return { name, columns: [{ name: 'id', key: 'record_id' }, ...columns, ...SPAN_COLUMNS] };
}

/** Replaces the columns of maps whose entries aren't in the documents. */
function withEntries(columns: readonly ViewColumn[], maps: readonly (string | undefined)[], at: 'NOW' | 'VERSION') {
  return columns.map(
    (column): ViewColumn => (maps.includes(column.name) ? { name: column.name, rows: MAP_ENTRY_ROWS, at } : column),
  );
}

/** Returns a view of these fields and columns. A field's column has the field's name. */
export function viewOf(name: string, fields: readonly (string | ViewColumn)[], where?: ViewSpec['where']): ViewSpec {
  const columns = ['organization_id', ...fields].map((field) =>
    typeof field === 'string' ? { name: field, field } : field,
  );
  return where === undefined ? { name, columns } : { name, columns, where };
}
