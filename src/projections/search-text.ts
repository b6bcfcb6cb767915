const ASCII = /^[\u0000-\u007f]*$/;

/** Lower case without accents: the form that text orders and searches compare. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const WORD = /[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*/gu;

/** How many distinct words of a long text can be found. */
const MAX_WORDS_PER_TEXT = 100;

/** The words of a text as `query` finds them: folded, each once; a term with dots (A.8.13) is one word. */
export function foldedWords(text: string): string[] {
  return [...new Set(foldText(text).match(WORD) ?? [])];
}

/** Search words of a record: all of its short fields, the first 100 distinct ones of each long text. */
export function searchWords(short: readonly (string | null)[], long: readonly (string | null)[]): string[] {
  const words = new Set(short.flatMap((text) => (text === null ? [] : foldedWords(text))));
  for (const text of long) {
    if (text !== null) for (const word of foldedWords(text).slice(0, MAX_WORDS_PER_TEXT)) words.add(word);
  }
  return [...words];
}

/** The beginning of a text that is longer than `length`, never ending in half a character. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1]!) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

/** Characters of a text that stand for a record without a name. */
const MAX_TITLE_LENGTH = 80;

/** What a record without a name is called by: the beginning of its text, on one line. */
export function titleOf(text: string): string {
  return cutText(text.replace(/\s+/g, ' '), MAX_TITLE_LENGTH);
}
