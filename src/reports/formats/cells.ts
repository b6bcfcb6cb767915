import type { NamesByKey } from '../pages/report-page.ts';
import { personName } from '../pages/report-people.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { isCode, valueAt } from '../sections/report-columns.ts';
import { codeWords, instantText, shareText } from './value-text.ts';

/** Options for writing cells as text. */
export interface CellStyle {
  /** Names for account ids. */
  people: NamesByKey;
  /** The time of the act. Without it, names are those of the report's moment. */
  actTime?: unknown;
  /** Writes enumerations in words. By default they are written as the tools have them. */
  codesInWords?: boolean;
  /** Writes times to the minute. */
  toTheMinute?: boolean;
  /** Adds the ids of records in lists. */
  showIds?: boolean;
}

const PLAIN: CellStyle = { people: new Map() };

/**
 * Returns a value as text: "yes" or "no", lists with semicolons, records by name with their state, changes with an arrow.
 * Returns an empty text for no value.
 */
export function textOf(value: unknown, style: CellStyle = PLAIN): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string')
    return personName(style.people, value, style.actTime) ?? (style.toTheMinute ? instantText(value) : value);
  if (Array.isArray(value)) return value.map((item) => textOf(item, style)).join('; ');
  if (typeof value !== 'object') return String(value);
  return objectText(value as Record<string, unknown>, style);
}

const codeText = (code: unknown, { codesInWords }: CellStyle): string =>
  codesInWords ? codeWords(String(code)) : String(code);

function objectText(value: Record<string, unknown>, style: CellStyle): string {
  const { name, id, reference_id, field } = value;
  if (field !== undefined) return changeText(String(field), value, style);
  if (name !== undefined) {
    const details = nameDetails(value, style);
    const fullName = [reference_id, name].filter((part) => part !== undefined).join(' ');
    return details.length === 0 ? fullName : `${fullName} (${details.join(', ')})`;
  }
  if (id !== undefined) return String(id);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return members.map(([key, member]) => memberText(key, member, style)).join(', ');
}

function memberText(key: string, value: unknown, style: CellStyle): string {
  const text = isCode(key) && typeof value === 'string' ? codeText(value, style) : textOf(value, style);
  return style.codesInWords ? `${codeWords(key).toLowerCase()} ${text}` : `${key} ${text}`;
}

/** Returns a record's state and validity. Its name alone would mislead. */
function nameDetails({ id, state, valid_until, expired }: Record<string, unknown>, style: CellStyle): string[] {
  const details: string[] = [];
  if (state !== undefined) details.push(style.codesInWords ? codeText(state, style).toLowerCase() : String(state));
  if (valid_until !== undefined) details.push(`${expired === true ? 'expired' : 'valid until'} ${String(valid_until)}`);
  if (style.showIds && id !== undefined) details.push(String(id));
  return details;
}

/** Returns a change such as "status: Open → Closed". An empty old value is left out. */
function changeText(field: string, { from, to }: Record<string, unknown>, style: CellStyle): string {
  const sideText = (side: unknown) =>
    isCode(field) && typeof side === 'string' ? codeText(side, style) : textOf(side, style);
  const before = sideText(from);
  const name = style.codesInWords ? codeWords(field) : field;
  return `${name}: ${before === '' ? '' : `${before} → `}${sideText(to) || '–'}`;
}

/** Returns a cell as text. */
export function cellText(
  row: ReportRow,
  { field, kind, title, timeField }: ReportColumn,
  tableStyle: CellStyle,
): string {
  const value = valueAt(row, field);
  const style = timeField === undefined ? tableStyle : { ...tableStyle, actTime: valueAt(row, timeField) };
  if (kind === 'CODE' && typeof value === 'string') return codeText(value, style);
  if (kind === 'SHARE' && typeof value === 'number') return shareText(value);
  // `false` means that nothing needs to be done, so the cell stays empty.
  if (kind === 'ALARM' && style.codesInWords) return value === true ? title.split(' ').at(-1)!.toLowerCase() : '';
  return textOf(Array.isArray(value) ? value.filter((item) => !repeatsLinkedName(item, row)) : value, style);
}

/** Returns true for a change whose value is the id of the linked record, which another cell shows by name. */
function repeatsLinkedName(change: unknown, { linked }: ReportRow): boolean {
  const { id } = (linked ?? {}) as { id?: unknown };
  const { field, from, to } = (change ?? {}) as Record<string, unknown>;
  return field === 'linked' && id !== undefined && (from === id || to === id);
}

/** Returns a column's heading. All times are in UTC. */
export function columnHeading({ title, kind }: ReportColumn): string {
  return kind === 'INSTANT' ? `${title} (UTC)` : title;
}

/** Returns the heading of a group of rows. Returns null without groups, and for a row of the same group as the one above. */
export function groupText(
  columns: readonly ReportColumn[] | undefined,
  row: ReportRow,
  before: ReportRow | undefined,
  style: CellStyle,
) {
  if (columns === undefined) return null;
  const isSame = before !== undefined && columns.every(({ field }) => valueAt(before, field) === valueAt(row, field));
  const visible = columns.filter(({ kind }) => kind !== 'TECHNICAL');
  const texts = visible.map((column) => cellText(row, column, style)).filter((text) => text !== '');
  return isSame ? null : texts.join(' · ');
}
