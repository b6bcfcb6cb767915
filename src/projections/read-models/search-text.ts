const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Returns a text normalized: in lower case and without accents. Sorting and searching compare this form. Composing again
 * puts the letters of a Korean syllable together.
 */
export function normalizeText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
}

/** Returns the stored form of a text key: normalized, and null for an empty text. */
export function textKey(text: string | null): string | null {
  return text === null || text === '' ? null : normalizeText(text);
}

/** Cuts a text after `length` characters and appends "…". Doesn't split a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1]!) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

/** The most characters of a text that stands for a missing name. */
const MAX_TITLE_LENGTH = 80;

/** Returns the beginning of a text on one line, as the name of a record without one. */
export function titleOf(text: string): string {
  return cutText(text.replace(/\s+/g, ' '), MAX_TITLE_LENGTH);
}
