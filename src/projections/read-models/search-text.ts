const ASCII = /^[\u0000-\u007f]*$/;

/** Returns a text normalized: in lower case and without accents. Sorting and searching compare this form. */
export function normalizeText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** Returns the stored form of a text key: normalized, and null for an empty text. */
export function textKey(text: string | null): string | null {
  return text === null || text === '' ? null : normalizeText(text);
}

const WORD = /[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*/gu;

/** A search finds only this many distinct words of a long text. */
const MAX_WORDS_PER_TEXT = 100;

/** Returns the distinct normalized words of a text, as `query` finds them. A term with dots (A.8.13) is one word. */
export function normalizedWords(text: string): string[] {
  return [...new Set(normalizeText(text).match(WORD) ?? [])];
}

/**
 * Returns a record's search words: all of short texts, the first 100 distinct words of each long text. A word with a padded
 * number also counts without the padding, so that both 07 and 7 find NC-07.
 */
export function searchWords(short: readonly (string | null)[], long: readonly (string | null)[]): string[] {
  const words = new Set(short.flatMap((text) => (text === null ? [] : normalizedWords(text))));
  for (const text of long) {
    if (text !== null) for (const word of normalizedWords(text).slice(0, MAX_WORDS_PER_TEXT)) words.add(word);
  }
  return withUnpadded([...words]);
}

/** The mark between a field's name and one of its words. No word of a text contains it. */
const FIELD_MARK = ':';

/** Returns the search words by which a filter finds the words of one field. */
export function fieldWords(field: string, text: string | null): string[] {
  return text === null ? [] : fieldPrefixes(field, withUnpadded(normalizedWords(text)));
}

/** Returns prefixes of `fieldWords`. */
export function fieldPrefixes(field: string, prefixes: readonly string[]): string[] {
  return prefixes.map((prefix) => `${field}${FIELD_MARK}${prefix}`);
}

/**
 * Returns the words of a query, each as prefixes of which a record's words must have one. A prefix that ends in a space is a
 * whole word. R-001 is `[['r'], ['001', '1 ']]`: the padded number as it is typed, so far, or the number 1, but not 10.
 * Other numbers lose their padding: R-1 finds.
 */
export function queryWords(query: string): string[][] {
  const words = normalizedWords(query).map(prefixesOf);
  return [...new Map(words.map((prefixes) => [prefixes.join(), prefixes])).values()];
}

function prefixesOf(word: string): string[] {
  // Zeros at the end may be the beginning of a padded number, which is stored too.
  if (/(?<!\d)0+$/.test(word)) return [word];
  const unpadded = withoutPadding(word);
  return /(?<!\d)0+[1-9]\d*$/.test(word) ? [word, `${unpadded} `] : [unpadded];
}

function withUnpadded(words: readonly string[]): string[] {
  return [...new Set([...words, ...words.map(withoutPadding)])];
}

/** Removes the zeros before numbers: nc07 becomes nc7, and a.05.10 becomes a.5.10. */
export function withoutPadding(word: string): string {
  return word.replace(/(?<!\d)0+(?=[1-9])/g, '');
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
