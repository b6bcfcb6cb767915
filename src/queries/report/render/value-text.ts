import type { Figure } from '../report-type.ts';

/* How values read in a document, rather than as the tools have them. */

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** A time to the minute, `2026-08-21 08:16`, in UTC; any other text as it is. */
export function instantText(text: string): string {
  return text.replace(INSTANT, '$1 $2');
}

/** `In treatment` of IN_TREATMENT, `Records linked` of RecordsLinked, `Owner` of owner_id. */
export function wordsOf(code: string): string {
  const words = (CODE.test(code) ? code : code.replace(/(?<=[a-z])(?=[A-Z])/g, '_')).toLowerCase();
  const plain = words.replace(/_id$/, '').replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A sentence of ours with the enumerations in it as words. */
export function plainly(sentence: string): string {
  return sentence.replace(/\b[A-Z][A-Z_]{2,}\b/g, (code) => code.toLowerCase().replaceAll('_', ' '));
}

/** A figure's value as text: a share in per cent, a dash where there is none. */
export function figureText({ kind, value }: Figure): string {
  if (value === null) return '–';
  return kind === 'SHARE' ? `${inHundred(value)} %` : minus(String(value));
}

/** How much it was more, with its sign: of shares in points, for a tenth more of a half is no tenth of it. */
function changeText({ kind }: Figure, change: number | null): string {
  if (change === null) return '–';
  const text = kind === 'SHARE' ? inHundred(change) : String(change);
  const signed = Number(text) > 0 ? `+${text}` : minus(text);
  return kind === 'SHARE' ? `${signed} points` : signed;
}

/** Of what rounds to nothing without a sign. */
function inHundred(share: number): string {
  const text = (share * 100).toFixed(1);
  return Number(text) === 0 ? '0.0' : text;
}

const minus = (text: string): string => text.replace(/^-/, '−');

/** What a table of figures has beside what each is: its value, and what it was more. */
export function figureHeads(figures: readonly Figure[]): string[] {
  const days = Object.keys(figures[0]?.change ?? {});
  return ['Value', ...days.map((name) => `Change in ${name.slice('days_'.length)} days`)];
}

export function figureCells(figure: Figure): string[] {
  return [figureText(figure), ...Object.values(figure.change ?? {}).map((change) => changeText(figure, change))];
}

/** `+2 in 30 days`: what a figure was more since the nearest of the days looked at; null where that isn't known. */
export function sinceText(figure: Figure): string | null {
  const [days, change = null] = Object.entries(figure.change ?? {})[0] ?? [];
  if (days === undefined || change === null) return null;
  const more = change === 0 ? 'unchanged' : changeText(figure, change);
  return `${more} in ${days.slice('days_'.length)} days`;
}

/** Figures by their headings, in their order. */
export function groupsOf(figures: readonly Figure[]): (readonly [heading: string, figures: Figure[]])[] {
  const groups = new Map<string, Figure[]>();
  for (const figure of figures) groups.set(figure.group, [...(groups.get(figure.group) ?? []), figure]);
  return [...groups];
}
