import type { People } from '../page.ts';
import type { Column, Row } from '../report-type.ts';

/** What a column shows of a row: `acceptance.until` is a member of a member. */
export function valueAt(row: Row, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}

/** A value as text: yes and no, lists with semicolons between, records by their names. Empty where there is none. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  if (typeof value !== 'object') return String(value);
  const { name, id } = value as Record<string, unknown>;
  return name !== undefined || id !== undefined ? textOf(name ?? id) : JSON.stringify(value);
}

/** A cell as text, people by their names. */
export function cellOf(row: Row, { field, person }: Column, people: People): string {
  const value = valueAt(row, field);
  return person ? (people.get(String(value)) ?? textOf(value)) : textOf(value);
}
