import type { Figure } from '../report-type.ts';

/* Formats values for documents. The tools' JSON has them as they are. */

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

/** Formats a change with its sign. Shares change in percentage points, not per cent. */
function changeText({ kind }: Figure, change: number | null): string {
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
  return [figureText(figure), ...Object.values(figure.change ?? {}).map((change) => changeText(figure, change))];
}

/** Returns the most recent change, such as `+2 in 30 days`. Returns null if it isn't known. */
export function recentChangeText(figure: Figure): string | null {
  const [days, change = null] = Object.entries(figure.change ?? {})[0] ?? [];
  if (days === undefined || change === null) return null;
  const text = change === 0 ? 'unchanged' : changeText(figure, change);
  return `${text} in ${days.slice('days_'.length)} days`;
}

/** Groups figures by heading, in their order. */
export function figureGroups(figures: readonly Figure[]): (readonly [heading: string, figures: Figure[]])[] {
  const groups = new Map<string, Figure[]>();
  for (const figure of figures) groups.set(figure.group, [...(groups.get(figure.group) ?? []), figure]);
  return [...groups];
}
