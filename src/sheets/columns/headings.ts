import { foldSpelling } from '../cells/fold.ts';
import type { SheetField } from '../cells/read-cell.ts';

/** A heading that tells equal ones apart, such as "Risk (2)". */
const NUMBERED = / \(\d+\)$/;
/** An explanation behind a heading, such as "(1-5)" or "(yyyy-mm-dd)". */
const EXPLANATION = /\s*[([][^()[\]]*[)\]]\s*$/;

/** Characters of the longest text that may name a field. */
const MAX_HEADING_CHARACTERS = 200;

/** Returns a heading as it is compared: case, accents, spaces, underscores, hyphens and apostrophes don't matter. */
export function normalizeHeading(text: string): string {
  return foldSpelling(text).replace(/[\s_'’-]+/g, '');
}

/** A word behind the heading of a date, as in "Letzte Prüfung am". */
const DATE_WORD = /\s+(?:am|on)$/i;

/** Added to the rank of a part of "Supplier / Provider", so that every whole heading fits better. */
const PART_RANK = 1_000;

/**
 * Returns a function that tells how well a heading fits a field: 0 for the field's own name, higher for its other headings,
 * null if not at all. An explanation in brackets and punctuation fit a little less, and so does a part of
 * "Supplier / Provider".
 */
export function headingRankOf({ name, kind, headings = [] }: SheetField): (heading: string) => number | null {
  const names = [name, ...headings].map(normalizeHeading);
  const isDate = kind === 'date' || kind === 'timestamp';
  const rankOf = (heading: string) => {
    const index = names.indexOf(normalizeHeading(heading));
    return index === -1 ? null : index;
  };
  const rankOfPlain = (heading: string) => {
    const text = heading.replace(/[^\p{L}\p{N}\s_-]/gu, '').trim();
    return rankOf(text) ?? (isDate ? rankOf(text.replace(DATE_WORD, '')) : null);
  };
  return (heading) => {
    if (heading.length > MAX_HEADING_CHARACTERS) return null;
    const exact = rankOf(heading);
    if (exact !== null || NUMBERED.test(heading)) return exact;
    const text = heading.replace(EXPLANATION, '');
    const plain = rankOfPlain(text);
    if (plain !== null) return plain + 0.5;
    const parts = text.split('/').map(rankOfPlain);
    const known = parts.findIndex((rank) => rank !== null);
    return known === -1 ? null : parts[known]! + (known + 1) * PART_RANK;
  };
}

/** Returns a function that tells whether a heading names one of the fields, or is mapped to one. */
export function namesOneOf(
  fields: readonly SheetField[],
  map: ReadonlyMap<string, string> = new Map(),
): (heading: string) => boolean {
  const mapped = new Set([...map.values()].map(normalizeHeading));
  const ranks = fields.map(headingRankOf);
  return (heading) => mapped.has(normalizeHeading(heading)) || ranks.some((rankOf) => rankOf(heading) !== null);
}
