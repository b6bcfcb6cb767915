import type { ViewColumn, ViewSpec } from '../stores/read-store.ts';
import type { ReadModel } from './read-model.ts';
import { OPEN_END } from './related-counts.ts';

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
 * Returns a family's published fields: those of the tools, without what depends on the day or comes from other
 * stores.
 */
function publishedFields({ family, derive, pinnedPositions: pins }: ReadModel): string[] {
  // Every record has the same derived fields, so an empty one gives their names.
  const derived = Object.keys(derive?.({}, {}) ?? {});
  const own = [
    ...family.historyFields,
    ...(family.excludedFromHistory ?? []),
    ...derived,
    ...Object.values(pins ?? {}),
  ];
  const known = [...FIRST_COLUMNS, ...LAST_COLUMNS];
  return [
    ...FIRST_COLUMNS,
    ...new Set(own.filter((name) => !UNPUBLISHED_FIELDS.has(name) && !known.includes(name))),
    ...LAST_COLUMNS,
  ];
}

const fieldColumns = (fields: readonly string[]): ViewColumn[] => fields.map((name) => ({ name, field: name }));

/** Valid from `from_position` until before `until_position`, which is null while still valid. */
export const SPAN_COLUMNS: readonly ViewColumn[] = [
  { name: 'from_position', key: 'from_position' },
  { name: 'until_position', key: 'until_position', none: OPEN_END },
];

/** The view of a family's records as they are now. */
export function recordView(model: ReadModel): ViewSpec {
  return { name: model.family.plural, columns: fieldColumns(publishedFields(model)) };
}

/** The view of all their versions. Each version's document has an id of its own. */
export function versionView(model: ReadModel, name: string): ViewSpec {
  const [, ...fields] = fieldColumns(publishedFields(model));
  return { name, columns: [{ name: 'id', key: 'record_id' }, ...fields, ...SPAN_COLUMNS] };
}

/** Returns a view of fields, each under its own name, and of columns with names of their own. */
export function viewOf(name: string, fields: readonly (string | ViewColumn)[], where?: ViewSpec['where']): ViewSpec {
  const columns = ['organization_id', ...fields].map((one) =>
    typeof one === 'string' ? { name: one, field: one } : one,
  );
  return where === undefined ? { name, columns } : { name, columns, where };
}
