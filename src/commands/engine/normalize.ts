/** Limit of combining marks in a row, as in Unicode's Stream-Safe Text Format (UAX #15). */
export const MAX_MARKS_IN_A_ROW = 30;

const TOO_MANY_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS_IN_A_ROW}})\\p{M}+`, 'u');
const EACH_SURPLUS = new RegExp(TOO_MANY_MARKS, 'gu');

/** Returns true if a text has more combining marks in a row than any language needs. */
export const hasTooManyMarks = (text: string): boolean => TOO_MANY_MARKS.test(text);

/**
 * Returns the Unicode normal form of untrusted text, without surplus combining marks. Normalizing takes time quadratic
 * in their number: 10,000 marks in a row take 120 ms, and the 500,000 that fit into a request take minutes.
 */
export function normalize(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(EACH_SURPLUS, '$1').normalize(form);
}
