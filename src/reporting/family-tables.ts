import { FAMILY_MODELS, READ_MODELS } from '../projections/models.ts';
import { proposals } from '../projections/read-models/proposal-model.ts';
import { historyOf, type ReadModel } from '../projections/read-models/read-model.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import type { Field, Fields } from '../register/field.ts';
import type { ColumnType, ReportingColumn, ReportingTable, Row } from '../stores/reporting-store.ts';
import { toCell } from './cells.ts';

/*
 * The tables of records. Their columns follow from the families' descriptions, so a new field is a new column.
 */

interface RecordColumn extends ReportingColumn {
  path: readonly string[];
}

/** A family's two tables, with the columns that both have. */
export interface RecordTables {
  model: ReadModel;
  columns: readonly RecordColumn[];
  current: ReportingTable;
  history: ReportingTable;
}

/** Columns whose field's name is a keyword of SQL. */
const RENAMED: Readonly<Record<string, string>> = { group: 'group_name' };

export const ORGANIZATION_COLUMN: ReportingColumn = {
  name: 'organization_id',
  type: 'TEXT',
  description: 'Organization. The database holds all organizations, so filter by it.',
};

export const CHANGED_COLUMN: ReportingColumn = {
  name: 'changed_position',
  type: 'INTEGER',
  description:
    'Position of the newest event that changed this row, derived columns included. Rows changed since P have more than P.',
};

const COMMON_COLUMNS: readonly RecordColumn[] = [
  column('owner_id', 'TEXT', 'Account of the owner. `people` has the name.'),
  column('created_at', 'TIMESTAMP', 'Time of its first event.'),
  column('updated_at', 'TIMESTAMP', 'Time of its own newest event.'),
  column('revision', 'INTEGER', '1 when added, +1 with each of its own events.'),
  column('position', 'INTEGER', 'Position of its own newest event.'),
  column('archived_at', 'TIMESTAMP', 'Time at which it was archived; null while it is live.'),
  column('stale', 'BOOLEAN', 'True if a later event could not be read, so that this row may be out of date.'),
];

export const SPAN_COLUMNS: readonly ReportingColumn[] = [
  { name: 'from_position', type: 'INTEGER', description: 'Position of the event with which this begins.' },
  {
    name: 'until_position',
    type: 'INTEGER',
    description: 'Position of the event before which this ends; null for what holds now.',
  },
  { name: 'from_time', type: 'TIMESTAMP', description: 'Time of the event at `from_position`.' },
  {
    name: 'until_time',
    type: 'TIMESTAMP',
    description: 'Time of the event at `until_position`; null for what holds now.',
  },
];

function column(name: string, type: ColumnType, description: string, path: readonly string[] = [name]): RecordColumn {
  return { name, type, description, path };
}

const ORGANIZATION_COLUMNS = [column('name', 'TEXT', 'Name.'), ...COMMON_COLUMNS];

/** Every family's tables, and those of organizations. Proposals have none: nothing of them is true of the register yet. */
export const RECORD_TABLES: readonly RecordTables[] = READ_MODELS.filter((model) => model !== proposals).map(
  (model) => {
    const family = FAMILY_MODELS.find((entry) => entry.model === model)?.family;
    return tablesOf(
      model,
      family === undefined ? ORGANIZATION_COLUMNS : [...fieldColumns(family.fields), ...COMMON_COLUMNS],
    );
  },
);

function tablesOf(model: ReadModel, columns: readonly RecordColumn[]): RecordTables {
  const { plural, singular } = model.family;
  const noun = plural === singular ? singular : `${/^[aeio]/.test(singular) ? 'an' : 'a'} ${singular}`;
  const id: ReportingColumn = { name: 'id', type: 'TEXT', description: 'Id, as in the tools.' };
  const all = [id, ORGANIZATION_COLUMN, ...columns];
  return {
    model,
    columns,
    current: { name: plural, description: `${noun} as it is now`, columns: [...all, CHANGED_COLUMN], key: ['id'] },
    history: {
      name: historyOf(plural),
      description: `${noun} as it was from one position until another`,
      columns: [...all, ...SPAN_COLUMNS, CHANGED_COLUMN],
      key: ['id', 'from_position'],
      openBy: ['id'],
    },
  };
}

/** Returns the columns of fields. Facts of the day have none, because they are not stored; nor have lists of ids: see `links`. */
function fieldColumns(fields: Fields, prefix: readonly string[] = []): RecordColumn[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = [...prefix, name];
    if (field.kind === 'object') return fieldColumns(field.fields, path);
    const type = typeOf(field);
    if (type === null || name === 'owner_id') return [];
    return [column(RENAMED[name] ?? path.join('_'), type, descriptionOf(field), path)];
  });
}

function typeOf({ kind }: Field): ColumnType | null {
  switch (kind) {
    case 'name':
    case 'text':
    case 'longText':
    case 'url':
    case 'sha256':
    case 'account':
    case 'enum':
    case 'id':
    case 'importedName':
    case 'person':
      return 'TEXT';
    case 'date':
      return 'DATE';
    case 'time':
      return 'TIMESTAMP';
    case 'boolean':
      return 'BOOLEAN';
    case 'rating':
    case 'score':
    case 'months':
    case 'count':
    case 'position':
      return 'INTEGER';
    case 'share':
      return 'REAL';
    case 'ids':
    case 'past':
    case 'validCount':
    case 'object':
      return null;
  }
}

/** Returns the field's label, its values if it has few, and its note. */
function descriptionOf(field: Field): string {
  const values = field.kind === 'enum' ? [field.values.join(', ')] : [];
  return `${[field.label, ...values, ...(field.note ? [field.note] : [])].join('. ')}.`;
}

/** Returns a record's cells, without those of a version. */
export function recordCells({ columns }: RecordTables, document: object): Row {
  const { id, organization_id } = document as { id: string; organization_id: string };
  const cells: Record<string, Row[string]> = { id, organization_id };
  for (const { name, type, path } of columns) cells[name] = toCell(type, valueAt(document, path));
  // Documents have it only if it is true.
  cells.stale ??= false;
  return cells;
}

function valueAt(document: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, member) => (value as Record<string, unknown> | null)?.[member] ?? null, document);
}

/** Returns the enums among a family's columns, with the labels of their values. */
export function enumsOf({
  fields,
}: Pick<FamilyDescription, 'fields'>): { column: string; field: Field & { kind: 'enum' } }[] {
  const find = (members: Fields, prefix: readonly string[]): ReturnType<typeof enumsOf> =>
    Object.entries(members).flatMap(([name, field]) => {
      const path = [...prefix, name];
      if (field.kind === 'object') return find(field.fields, path);
      return field.kind === 'enum' ? [{ column: RENAMED[name] ?? path.join('_'), field }] : [];
    });
  return find(fields, []);
}
