import type { People } from '../page.ts';
import type { Column, Figure, Row } from '../report-type.ts';

/** What a column shows of a row: `acceptance.until` is a member of a member. */
export function valueAt(row: Row, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}

const NOBODY: People = new Map();

/**
 * A value as text: yes and no, lists with semicolons between, records by their names, changes with an arrow. Empty where
 * there is none. People are named where they are given.
 */
export function textOf(value: unknown, people: People = NOBODY): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return people.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => textOf(one, people)).join('; ');
  if (typeof value !== 'object') return String(value);
  return objectText(value as Record<string, unknown>, people);
}

function objectText(value: Record<string, unknown>, people: People): string {
  const { name, id, reference_id, field, from, to } = value;
  if (field !== undefined) return `${String(field)}: ${textOf(from, people) || '–'} → ${textOf(to, people) || '–'}`;
  if (name !== undefined) return [reference_id, name].filter((part) => part !== undefined).join(' ');
  if (id !== undefined) return String(id);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return members.map(([key, member]) => `${key} ${textOf(member, people)}`).join(', ');
}

/** A figure's value as text: a share in per cent, a dash where there is none. */
function numberOf(value: number | null): string {
  if (value === null) return '–';
  return Number.isInteger(value) ? String(value) : `${(value * 100).toFixed(1)} %`;
}

/** What a table of figures has beside what each counts, in words. */
export function figureHeads(figures: readonly Figure[]): string[] {
  const days = Object.keys(figures[0]?.change ?? {});
  return ['Now', ...days.map((name) => `Change in ${name.slice('days_'.length)} days`)];
}

/** The same of one of them, changes with their sign. */
export function figureCells({ value, change = {} }: Figure): string[] {
  const signed = (more: number | null) => (more !== null && more > 0 ? `+${numberOf(more)}` : numberOf(more));
  return [numberOf(value), ...Object.values(change).map(signed)];
}

/** A cell as text, people by their names. */
export function cellOf(row: Row, { field }: Column, people: People): string {
  return textOf(valueAt(row, field), people);
}
