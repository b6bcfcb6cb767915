import type { Verification } from '../../queries/proofs/verify-changes.ts';
import { hasTimedState } from '../../register/field.ts';
import { planText } from '../../texts/treatment-text.ts';
import { codeText, type NamesByKey, type TextStyle, textOf } from '../../texts/value-text.ts';
import { instantText, percentText, shareText } from '../../texts/words.ts';
import type { ReportHead } from '../pages/report-page.ts';
import type { Figure, HeadFact, ReportColumn, ReportRow } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';

/* Words for cells, figures and the head of a report, the same in all formats. JSON has the values as they are. */

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

/** Returns a figure's value as text: a share in per cent, a dash for null. */
export function figureText({ kind, value }: Figure): string {
  if (value === null) return '–';
  return kind === 'SHARE' ? shareText(value) : withMinusSign(String(value));
}

/** Formats a figure's change with its sign. Shares change in percentage points, not per cent. */
function signedChange({ kind }: Figure, change: number | null): string {
  if (change === null) return '–';
  const text = kind === 'SHARE' ? percentText(change) : String(change);
  const signed = Number(text) > 0 ? `+${text}` : withMinusSign(text);
  return kind === 'SHARE' ? `${signed} points` : signed;
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

/** A line to write on. */
export const LINE_TO_FILL = '_'.repeat(24);

export const SIGN_OFF_NOTE = 'To fill in by hand: the register has no record of this.';

/** Returns a cell as text. */
export function cellText(row: ReportRow, column: ReportColumn, tableStyle: TextStyle): string {
  const { field, kind, title, timeField } = column;
  const value = valueAt(row, field);
  const style = timeField === undefined ? tableStyle : { ...tableStyle, actTime: valueAt(row, timeField) };
  if (isUnknownTime(row, column)) return 'unknown';
  if (kind === 'CODE') return codesText(row, column, style);
  if (kind === 'TO_SIGN') return value === true ? LINE_TO_FILL : '';
  if (kind === 'SHARE' && typeof value === 'number') return shareText(value);
  // `false` means that nothing needs to be done, so the cell stays empty.
  if (kind === 'ALARM' && style.codesInWords) return value === true ? title.split(' ').at(-1)!.toLowerCase() : '';
  return textOf(Array.isArray(value) ? value.filter((item) => !repeatsLinkedName(item, row)) : value, style);
}

function isUnknownTime(row: ReportRow, column: ReportColumn): boolean {
  return (valueAt(row, column.field) ?? null) === null && hasTimedState(column, row);
}

function codesText(row: ReportRow, { field, labels }: ReportColumn, style: TextStyle): string {
  const value = valueAt(row, field);
  // An excluded control needs no implementation, so the cell stays empty.
  if (field === 'implementation' && row.status === 'EXCLUDED' && style.codesInWords) return '';
  if (typeof value === 'string') {
    const text = codeText(value, style, labels);
    return style.codesInWords ? planText(field, value, text, row) : text;
  }
  return Array.isArray(value) ? value.map((code) => codeText(code, style)).join('; ') : textOf(value, style);
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
  style: TextStyle,
) {
  if (columns === undefined) return null;
  const isSame = before !== undefined && columns.every(({ field }) => valueAt(before, field) === valueAt(row, field));
  const visible = columns.filter(({ kind }) => kind !== 'TECHNICAL');
  const texts = visible.map((column) => cellText(row, column, style)).filter((text) => text !== '');
  return isSame ? null : texts.join(' · ');
}
