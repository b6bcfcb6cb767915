import type { FamilyDescription } from '../../register/family-description.ts';
import type { Field, Fields } from '../../register/field.ts';
import { isEnumField } from '../../texts/value-text.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';

/* Columns that several reports share. Titles are for text formats; JSON uses the field names. */

export const OWNER: ReportColumn = { field: 'owner_id', title: 'Owner', person: true };
export const ID: ReportColumn = { field: 'id', title: 'Id', kind: 'TECHNICAL' };
export const REFERENCE: ReportColumn = { field: 'reference_id', title: 'Reference' };

/** A column that Markdown answers leave out. */
export const detail = (field: string, title: string): ReportColumn => ({ ...column(field, title), detail: true });
export const prose = (field: string, title: string): ReportColumn => ({ field, title, prose: true });
export const column = (field: string, title: string): ReportColumn => ({ field, title, ...kindOf(field) });

/** Returns columns of which some are below their row in HTML. */
export function withBelow(columns: readonly ReportColumn[], fields: readonly string[]): ReportColumn[] {
  return columns.map((each) => (fields.includes(each.field) ? { ...each, isBelow: true } : each));
}

/** Returns columns of a family's fields, as its description has them. `review.outcome` is a member of an object. */
export function familyColumns({ fields }: FamilyDescription, names: readonly string[]): ReportColumn[] {
  return names.map((name) => (name === ID.field ? ID : familyColumn(fields, name)));
}

function familyColumn(fields: Fields, name: string): ReportColumn {
  const [outer, member] = name.split('.') as [string, string?];
  const field = fields[outer];
  if (field !== undefined && member === undefined) return { field: name, ...columnOf(field) };
  const inner = field?.kind === 'object' ? field.fields[member!] : undefined;
  if (field?.kind !== 'object' || inner === undefined) throw new TypeError(`there is no field ${name}`);
  const time = Object.keys(field.fields).find((other) => field.fields[other]!.kind === 'time');
  // Text formats show the name that the person had at that time.
  const timeOfAct = inner.kind === 'account' && time !== undefined ? { timeField: `${outer}.${time}` } : {};
  return { field: name, ...columnOf(inner), ...timeOfAct };
}

function columnOf(field: Field): Omit<ReportColumn, 'field'> {
  const { kind, label, detail: isDetail, timeOf } = field;
  const labels = field.kind === 'enum' && field.labels !== undefined ? { labels: field.labels } : {};
  return {
    title: label,
    ...COLUMN_BY_KIND[kind],
    ...labels,
    ...(isDetail ? { detail: true } : {}),
    ...(timeOf ? { timeOf } : {}),
  };
}

const COLUMN_BY_KIND: Partial<Record<Field['kind'], Partial<ReportColumn>>> = {
  text: { prose: true },
  longText: { prose: true },
  enum: { kind: 'CODE' },
  time: { kind: 'INSTANT' },
  id: { kind: 'TECHNICAL' },
  account: { person: true },
  share: { kind: 'SHARE' },
  past: { kind: 'ALARM' },
};

/** Returns a column's value in a row. `acceptance.until` is the member `until` of the member `acceptance`. */
export function valueAt(row: ReportRow, field: string): unknown {
  if (!field.includes('.')) return row[field];
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}

function kindOf(field: string): Pick<ReportColumn, 'kind'> {
  if (isEnumField(field)) return { kind: 'CODE' };
  if (/(?:_at|^last_reviewed)$/.test(field)) return { kind: 'INSTANT' };
  if (/(?:^id|_id|^client|^revision)$/.test(field) && field !== REFERENCE.field) return { kind: 'TECHNICAL' };
  return /(?:overdue|expired)$/.test(field) ? { kind: 'ALARM' } : {};
}
