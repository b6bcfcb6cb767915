import { isCode, valueAt } from '../columns.ts';
import type { People } from '../page.ts';
import { personIn } from '../people.ts';
import type { Column, Row } from '../report-type.ts';
import { instantText, wordsOf } from './words.ts';

/** How cells are told. */
export interface Style {
  /** Whom ids of accounts stand for. */
  people: People;
  /** The time of the act that is told of; else names are those of the report's moment. */
  at?: unknown;
  /** Enumerations in words; else as the tools have them. */
  words?: boolean;
  /** Times to the minute; else as they are. */
  minutes?: boolean;
  /** Records in lists with their ids. */
  ids?: boolean;
}

const PLAIN: Style = { people: new Map() };

/**
 * A value as text: yes and no, lists with semicolons between, records by their names with what they are beside it, changes
 * with an arrow. Empty where there is none.
 */
export function textOf(value: unknown, style: Style = PLAIN): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string')
    return personIn(style.people, value, style.at) ?? (style.minutes ? instantText(value) : value);
  if (Array.isArray(value)) return value.map((one) => textOf(one, style)).join('; ');
  if (typeof value !== 'object') return String(value);
  return objectText(value as Record<string, unknown>, style);
}

/** An enumeration's word. */
const codeText = (code: unknown, { words }: Style): string => (words ? wordsOf(String(code)) : String(code));

function objectText(value: Record<string, unknown>, style: Style): string {
  const { name, id, reference_id, field } = value;
  if (field !== undefined) return changeText(String(field), value, style);
  if (name !== undefined) {
    const beside = besideName(value, style);
    const named = [reference_id, name].filter((part) => part !== undefined).join(' ');
    return beside.length === 0 ? named : `${named} (${beside.join(', ')})`;
  }
  if (id !== undefined) return String(id);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return members.map(([key, member]) => memberText(key, member, style)).join(', ');
}

function memberText(key: string, value: unknown, style: Style): string {
  const text = isCode(key) && typeof value === 'string' ? codeText(value, style) : textOf(value, style);
  return style.words ? `${wordsOf(key).toLowerCase()} ${text}` : `${key} ${text}`;
}

/** What a record's name alone would mislead about: how far it is, and whether it still counts. */
function besideName({ id, state, valid_until, expired }: Record<string, unknown>, style: Style): string[] {
  const beside: string[] = [];
  if (state !== undefined) beside.push(style.words ? codeText(state, style).toLowerCase() : String(state));
  if (valid_until !== undefined) beside.push(`${expired === true ? 'expired' : 'valid until'} ${String(valid_until)}`);
  if (style.ids && id !== undefined) beside.push(String(id));
  return beside;
}

/** What a field was and is; what it was is left out where that was nothing. */
function changeText(field: string, { from, to }: Record<string, unknown>, style: Style): string {
  const sideText = (side: unknown) =>
    isCode(field) && typeof side === 'string' ? codeText(side, style) : textOf(side, style);
  const before = sideText(from);
  const name = style.words ? wordsOf(field) : field;
  return `${name}: ${before === '' ? '' : `${before} → `}${sideText(to) || '–'}`;
}

/** A cell as text. */
export function cellOf(row: Row, { field, kind, title, at }: Column, how: Style): string {
  const value = valueAt(row, field);
  const style = at === undefined ? how : { ...how, at: valueAt(row, at) };
  if (kind === 'CODE' && typeof value === 'string') return codeText(value, style);
  // That nothing is to be done is no news.
  if (kind === 'ALARM' && style.words) return value === true ? title.split(' ').at(-1)!.toLowerCase() : '';
  return textOf(Array.isArray(value) ? value.filter((one) => !isNamedBeside(one, row)) : value, style);
}

/** Whether a change tells by its id what another cell of the row tells by its name. */
function isNamedBeside(change: unknown, { linked }: Row): boolean {
  const { id } = (linked ?? {}) as { id?: unknown };
  const { field, from, to } = (change ?? {}) as Record<string, unknown>;
  return field === 'linked' && id !== undefined && (from === id || to === id);
}

/** A column's heading; times are told in one zone. */
export function headingOf({ title, kind }: Column): string {
  return kind === 'INSTANT' ? `${title} (UTC)` : title;
}

/** What rows of a group have in common, in one line but for ids; null where they are in none, or the row above is in the same. */
export function groupText(columns: readonly Column[] | undefined, row: Row, before: Row | undefined, style: Style) {
  if (columns === undefined) return null;
  const isSame = before !== undefined && columns.every(({ field }) => valueAt(before, field) === valueAt(row, field));
  const named = columns.filter(({ kind }) => kind !== 'TECHNICAL');
  const texts = named.map((column) => cellOf(row, column, style)).filter((text) => text !== '');
  return isSame ? null : texts.join(' · ');
}
