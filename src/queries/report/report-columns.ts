import type { Column, Row } from './report-type.ts';

/* Columns of several reports. A title is for text alone: data goes by the names of fields. */

export const OWNER: Column = { field: 'owner_id', title: 'Owner', person: true };
export const ID: Column = { field: 'id', title: 'Id', kind: 'TECHNICAL' };
export const REFERENCE: Column = { field: 'reference_id', title: 'Reference' };

/** A column of what is seldom asked for: in text of other formats than Markdown. */
export const detail = (field: string, title: string): Column => ({ ...column(field, title), detail: true });
export const prose = (field: string, title: string): Column => ({ field, title, prose: true });
export const column = (field: string, title: string): Column => ({ field, title, ...kindOf(field) });

/** Fields that hold words of an enumeration, in whichever family. */
const CODES = [
  ...['status', 'state', 'priority', 'treatment', 'criticality', 'implementation', 'severity', 'kind'],
  ...['type', 'what', 'record_type', 'event_type', 'outcome'],
];

export const isCode = (field: string): boolean => CODES.includes(field.split('.').at(-1)!);

/** Returns the value that a column shows of a row: `acceptance.until` is a member of a member. */
export function valueAt(row: Row, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}

function kindOf(field: string): Pick<Column, 'kind'> {
  if (isCode(field)) return { kind: 'CODE' };
  if (/(?:_at|^last_reviewed)$/.test(field)) return { kind: 'INSTANT' };
  if (/(?:^id|_id|^client|^revision)$/.test(field) && field !== REFERENCE.field) return { kind: 'TECHNICAL' };
  return /(?:overdue|expired)$/.test(field) ? { kind: 'ALARM' } : {};
}
