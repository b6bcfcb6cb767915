import type { Verification } from '../../queries/proofs/verify-changes.ts';
import { relationLabel } from '../../register/link.ts';
import type { NamesByKey, ReportHead } from '../pages/report-page.ts';
import { personName } from '../pages/report-people.ts';
import type { Figure, HeadFact, ReportColumn, ReportRow } from '../report-type.ts';
import { enumLabels, isEnumField, valueAt } from '../sections/report-columns.ts';

/* Words for values, figures and the head of a report, the same in all formats. JSON has the values as they are. */

export const INCOMPLETE_NOTE = 'Incomplete: an event of the organization could not be read, so data may be missing.';

export const NAMES_NOTE = 'People’s names are those at the time of the event. The digest does not cover them.';

export const SEAL_NOTE = 'A seal covers this change. The JSON format has the proof.';

const PENDING_SEAL_NOTE = 'No seal covers this change yet. Generate the report again later to get the proof.';

const timeText = (text: string): string => (instantText(text) === text ? text : `${instantText(text)} UTC`);

/** Returns the lines at the head of a document: its inputs, its moment, when it was generated, and how to check it. */
export function headFacts(head: ReportHead, people: NamesByKey): HeadFact[] {
  const { about, as_of, position, today, generated_at, digest, proof, pending_seal } = head;
  const verification = proof?.verification;
  const madeAt = as_of === null ? '' : `, made ${instantText(as_of)} UTC`;
  return [
    ...about.map(({ label, value }) => ({ label, value: people.get(value) ?? timeText(value) })),
    { label: 'As of', value: `${today}, up to change ${position}${madeAt}` },
    { label: 'Generated', value: `${instantText(generated_at)} UTC` },
    { label: 'Report digest', value: digest },
    { label: 'Names', value: NAMES_NOTE },
    ...(pending_seal ? [{ label: 'Seal', value: PENDING_SEAL_NOTE }] : []),
    ...(proof ? [{ label: 'Seal', value: SEAL_NOTE }] : []),
    ...(verification ? [{ label: 'Changes checked', value: verificationText(verification) }] : []),
  ];
}

/** Returns the outcome of the check in words. It always states which positions were checked. */
export function verificationText(verification: Verification): string {
  const { verdict, complete, covered_from, covered_to, recorded_out_of_order: notices } = verification;
  if (covered_from === null) return 'There are no changes.';
  const outcome = verdict === 'VALID' ? 'match the log.' : 'do NOT match the log. See the JSON format.';
  const hint = complete
    ? ''
    : ' Other changes were not checked: continue with listChanges and the cursor in the JSON format.';
  const notice = notices === undefined ? '' : ` Recorded out of order: ${notices.events}. See the JSON format.`;
  return `Changes ${covered_from} to ${covered_to} ${outcome}${notice}${hint}`;
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Returns a timestamp to the minute, such as `2026-08-21 08:16`, and any other text as it is. */
export function instantText(text: string): string {
  return text.replace(INSTANT, '$1 $2');
}

/** Returns `In treatment` for IN_TREATMENT, `Records linked` for RecordsLinked, `Owner` for owner_id. */
export function codeWords(code: string): string {
  const words = (CODE.test(code) ? code : code.replace(/(?<=[a-z])(?=[A-Z])/g, '_')).toLowerCase();
  const plain = words.replace(/_id$/, '').replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Replaces the enumeration values in one of our own sentences by words. */
export function codesAsWords(sentence: string): string {
  return sentence.replace(/\b[A-Z][A-Z_]{2,}\b/g, (code) => code.toLowerCase().replaceAll('_', ' '));
}

/** Returns a figure's value as text: a share in per cent, a dash for null. */
export function figureText({ kind, value }: Figure): string {
  if (value === null) return '–';
  return kind === 'SHARE' ? shareText(value) : withMinusSign(String(value));
}

/** Returns a share as text in per cent. */
export function shareText(share: number): string {
  return `${percentText(share)} %`;
}

/** Formats a figure's change with its sign. Shares change in percentage points, not per cent. */
function signedChange({ kind }: Figure, change: number | null): string {
  if (change === null) return '–';
  const text = kind === 'SHARE' ? percentText(change) : String(change);
  const signed = Number(text) > 0 ? `+${text}` : withMinusSign(text);
  return kind === 'SHARE' ? `${signed} points` : signed;
}

/** Formats a share in per cent. Avoids "-0.0". */
function percentText(share: number): string {
  const text = (share * 100).toFixed(1);
  return Number(text) === 0 ? '0.0' : text;
}

const withMinusSign = (text: string): string => text.replace(/^-/, '−');

/** Returns the headings for a figure's value and changes. */
export function figureHeadings(figures: readonly Figure[]): string[] {
  const days = Object.keys(figures[0]?.change ?? {});
  return ['Value', ...days.map((name) => `Change in ${name.slice('days_'.length)} days`)];
}

export function figureCells(figure: Figure): string[] {
  return [figureText(figure), ...Object.values(figure.change ?? {}).map((change) => signedChange(figure, change))];
}

/** Returns the most recent change, such as `+2 in 30 days`. Returns null if it isn't known. */
export function recentChangeText(figure: Figure): string | null {
  const [days, change = null] = Object.entries(figure.change ?? {})[0] ?? [];
  if (days === undefined || change === null) return null;
  const text = change === 0 ? 'unchanged' : signedChange(figure, change);
  return `${text} in ${days.slice('days_'.length)} days`;
}

/** Groups figures by heading, in their order. */
export function figureGroups(figures: readonly Figure[]): (readonly [heading: string, figures: Figure[]])[] {
  const groups = new Map<string, Figure[]>();
  for (const figure of figures) groups.set(figure.group, [...(groups.get(figure.group) ?? []), figure]);
  return [...groups];
}

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

/**
 * Returns a value as text: "yes" or "no", lists with semicolons, records by name with their state, changes with an arrow.
 * Returns an empty text for no value.
 */
export function textOf(value: unknown, style: CellStyle): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string')
    return personName(style.people, value, style.actTime) ?? (style.toTheMinute ? instantText(value) : value);
  if (Array.isArray(value)) return value.map((item) => textOf(item, style)).join('; ');
  if (typeof value !== 'object') return String(value);
  return objectText(value as Record<string, unknown>, style);
}

const codeText = (code: unknown, { codesInWords }: CellStyle, labels?: ReportColumn['labels']): string =>
  codesInWords ? (labels?.[String(code)] ?? codeWords(String(code))) : String(code);

function objectText(value: Record<string, unknown>, style: CellStyle): string {
  const { name, id, reference_id, field } = value;
  if (field !== undefined) return fieldChangeText(String(field), value, style);
  if (name !== undefined) {
    const details = nameDetails(value, style);
    const fullName = [reference_id, name].filter((part) => part !== undefined).join(' ');
    return details.length === 0 ? fullName : `${fullName} (${details.join(', ')})`;
  }
  if (id !== undefined) return String(reference_id ?? id);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return members.map(([key, member]) => memberText(key, member, style)).join(', ');
}

function memberText(key: string, value: unknown, style: CellStyle): string {
  const text =
    isEnumField(key) && typeof value === 'string' ? codeText(value, style, enumLabels(key)) : textOf(value, style);
  return style.codesInWords ? `${codeWords(key).toLowerCase()} ${text}` : `${key} ${text}`;
}

/** Returns a record's source, state and validity. Its name alone would mislead. */
function nameDetails({ id, source, state, valid_until, expired }: Record<string, unknown>, style: CellStyle): string[] {
  const details: string[] = source === undefined ? [] : [String(source)];
  if (state !== undefined) details.push(style.codesInWords ? codeText(state, style).toLowerCase() : String(state));
  if (valid_until !== undefined) details.push(`${expired === true ? 'expired' : 'valid until'} ${String(valid_until)}`);
  if (style.showIds && id !== undefined) details.push(String(id));
  return details;
}

/** Begins the fields of a crosswalk's change. The other control's number follows, or a relation. */
const LINKED_FIELD = 'linked.';

/** Returns a pair of a crosswalk, such as "Equivalent to GV.PO-01", or the number of its pairs, such as "Equivalent: 12". */
export function crosswalkFieldText(field: string, to: unknown): string {
  const name = field.slice(LINKED_FIELD.length);
  return typeof to === 'number' ? `${codeWords(name)}: ${to}` : `${relationLabel(to) ?? String(to)} ${name}`;
}

/** Returns a field's change such as "status: Open → Closed". An empty old value is left out. */
function fieldChangeText(field: string, { from, to }: Record<string, unknown>, style: CellStyle): string {
  const sideText = (value: unknown) =>
    isEnumField(field) && typeof value === 'string' ? codeText(value, style, enumLabels(field)) : textOf(value, style);
  if (style.codesInWords && field.startsWith(LINKED_FIELD)) return crosswalkFieldText(field, to);
  const before = sideText(from);
  const name = style.codesInWords ? codeWords(field) : field;
  return `${name}: ${before === '' ? '' : `${before} → `}${sideText(to) || '–'}`;
}

/** A line to write on. */
export const LINE_TO_FILL = '_'.repeat(24);

export const SIGN_OFF_NOTE = 'To fill in by hand: the register has no record of this.';

/** Returns a cell as text. */
export function cellText(
  row: ReportRow,
  { field, kind, title, timeField, labels }: ReportColumn,
  tableStyle: CellStyle,
): string {
  const value = valueAt(row, field);
  const style = timeField === undefined ? tableStyle : { ...tableStyle, actTime: valueAt(row, timeField) };
  if (kind === 'CODE' && typeof value === 'string') return codeText(value, style, labels);
  if (kind === 'CODE' && Array.isArray(value)) return value.map((code) => codeText(code, style)).join('; ');
  if (kind === 'TO_SIGN') return value === true ? LINE_TO_FILL : '';
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
