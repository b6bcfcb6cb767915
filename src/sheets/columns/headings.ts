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

/**
 * Returns a function that tells how well a heading fits a field: 0 for the field's own name, higher for its other headings,
 * null if not at all. An explanation in brackets and punctuation fit a little less.
 */
export function headingRankOf({ name, headings = [] }: SheetField): (heading: string) => number | null {
  const names = [name, ...headings].map(normalizeHeading);
  return (heading) => {
    if (heading.length > MAX_HEADING_CHARACTERS) return null;
    const exact = names.indexOf(normalizeHeading(heading));
    if (exact !== -1) return exact;
    if (NUMBERED.test(heading)) return null;
    const plain = heading.replace(EXPLANATION, '').replace(/[^\p{L}\p{N}\s_-]/gu, '');
    const index = names.indexOf(normalizeHeading(plain));
    return index === -1 ? null : index + 0.5;
  };
}

/** Returns a function that tells whether a heading names one of the fields. */
export function namesOneOf(fields: readonly SheetField[]): (heading: string) => boolean {
  const ranks = fields.map(headingRankOf);
  return (heading) => ranks.some((rankOf) => rankOf(heading) !== null);
}
