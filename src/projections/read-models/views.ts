import type { ViewColumn, ViewSpec } from '../../stores/read-store.ts';
import { OPEN_END } from '../relations/related-counts.ts';
import type { ReadModel } from './read-model.ts';

/*
 * The published part of the read models. docs/read-models.md is generated from it. Names and meanings are a promise: a
 * field with another name or meaning is a new field beside the old one. A new shape of a view is a new view (`risks_2`).
 * test/fixtures/read-models.json lists everything that was ever promised.
 */

/** Fields of documents that only projections use, or that mean something else in the tools. */
const UNPUBLISHED_FIELDS = new Set(['controls', 'record_ids', 'self_archived_at', 'import_key']);
const FIRST_COLUMNS = ['id', 'organization_id'];
const LAST_COLUMNS = ['owner_id', 'created_at', 'updated_at', 'revision', 'position', 'archived_at', 'stale'];

/**
 * Returns a family's published fields: those of the tools, except fields that depend on the current day or on other
 * stores.
 */
function publishedFields({ family, derive, pinnedPositions: pins }: ReadModel): string[] {
  // Every record has the same derived fields, so an empty one gives their names.
  const derived = Object.keys(derive?.({}, {}) ?? {});
  const fields = [
    ...family.historyFields,
    ...(family.excludedFromHistory ?? []),
    ...derived,
    ...Object.values(pins ?? {}),
  ];
  const fixedColumns = [...FIRST_COLUMNS, ...LAST_COLUMNS];
  return [
    ...FIRST_COLUMNS,
    ...new Set(fields.filter((name) => !UNPUBLISHED_FIELDS.has(name) && !fixedColumns.includes(name))),
    ...LAST_COLUMNS,
  ];
}

const fieldColumns = (fields: readonly string[]): ViewColumn[] => fields.map((name) => ({ name, field: name }));

/** The version is valid from `from_position` until before `until_position`, which is null for the current one. */
export const SPAN_COLUMNS: readonly ViewColumn[] = [
  { name: 'from_position', key: 'from_position' },
  { name: 'until_position', key: 'until_position', none: OPEN_END },
];

/** Returns the view of a family's current records. */
export function recordView(model: ReadModel): ViewSpec {
  return { name: model.family.plural, columns: fieldColumns(publishedFields(model)) };
}

/** Returns the view of all versions of a family's records. Each version's document has its own id. */
export function versionView(model: ReadModel, name: string): ViewSpec {
  const [, ...fields] = fieldColumns(publishedFields(model));
  return { name, columns: [{ name: 'id', key: 'record_id' }, ...fields, ...SPAN_COLUMNS] };
}

/** Returns a view of these fields and columns. A field's column has the field's name. */
export function viewOf(name: string, fields: readonly (string | ViewColumn)[], where?: ViewSpec['where']): ViewSpec {
  const columns = ['organization_id', ...fields].map((one) =>
    typeof one === 'string' ? { name: one, field: one } : one,
  );
  return where === undefined ? { name, columns } : { name, columns, where };
}
