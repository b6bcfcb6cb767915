import type { ViewColumn, ViewSpec } from '../stores/read-store.ts';
import type { ReadModel } from './read-model.ts';
import { OPEN_END } from './related-counts.ts';

/*
 * What of the read models is published: docs/read-models.md is made of it. Names and meanings are a promise. A field may
 * be added; one that would get another name or meaning is a new field beside the old one, and a new shape of the whole
 * is a further view (`risks_2`) beside the one that there is. test/fixtures/read-models.json holds what was promised.
 */

/** Fields of documents that are the fold's own, or mean another thing there than they do in the tools. */
const UNPUBLISHED_FIELDS = new Set(['controls', 'record_ids', 'self_archived_at', 'import_key']);
const FIRST_COLUMNS = ['id', 'organization_id'];
const LAST_COLUMNS = ['owner_id', 'created_at', 'updated_at', 'revision', 'position', 'archived_at', 'stale'];

/** The names of a family's published fields: the tools' own, but for what depends on the day or stands in other stores. */
function publishedFields({ family, derive, pinnedPositions: pins }: ReadModel): string[] {
  // What is derived of one record is derived of each, so that an empty one tells the names.
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

/** The ordinals between which something holds: from the first, until before the second, null while it still does. */
export const SPAN_COLUMNS: readonly ViewColumn[] = [
  { name: 'from_position', key: 'from_position' },
  { name: 'until_position', key: 'until_position', none: OPEN_END },
];

/** A family's records as they are now. */
export function recordView(model: ReadModel): ViewSpec {
  return { name: model.family.plural, columns: fieldColumns(publishedFields(model)) };
}

/** Every version that they had: a version's document has an id of its own. */
export function versionView(model: ReadModel, name: string): ViewSpec {
  const [, ...fields] = fieldColumns(publishedFields(model));
  return { name, columns: [{ name: 'id', key: 'record_id' }, ...fields, ...SPAN_COLUMNS] };
}

/** A view of some fields, each under its own name or, where given, under another. */
export function viewOf(name: string, fields: readonly (string | ViewColumn)[], where?: ViewSpec['where']): ViewSpec {
  const columns = ['organization_id', ...fields].map((one) =>
    typeof one === 'string' ? { name: one, field: one } : one,
  );
  return where === undefined ? { name, columns } : { name, columns, where };
}
