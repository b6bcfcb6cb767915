import { normalizeText } from './search-text.ts';

/**
 * The words of a text for search. Stores only keep and compare them, so a query finds the same records on each pair of
 * stores.
 */

const WORD = /[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*/gu;

/** Begins with a letter of a script that writes no spaces between words, or in Korean puts words together. */
const IS_UNSPACED = /^[ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** The parts of a word that are of such scripts, and the others. */
const RUNS =
  /[ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+|[^ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+/gu;
/** Contains each of these letters, and is tested much faster. */
const MAY_BE_UNSPACED = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7ff\ud840-\ud8ff\uf900-\ufaff]/;

/** A search finds only this many distinct words of a long text, and this many pairs of letters without spaces. */
const MAX_WORDS_PER_TEXT = 100;
const MAX_PAIRS_PER_TEXT = 300;

/** A word that begins with letters and ends with a number, or the reverse: NIS2, TLS1.3, 2FA. */
const TWO_PARTS = /^(?:[^\d.]+(\d[\d.]*)|\d[\d.]*?([^\d.]+))$/;
/** The signs between letters and a number that belong together: NIS 2, NIS-2, Art. 33. */
const BESIDE_NUMBER = /^[ _/.:–‐-]{1,2}$/;
/** The signs between the two halves of one word: e-mail, let's. */
const IN_WORD = /^[-‐'’]$/;

/** Returns a word in parts that end where the script changes between one with and one without spaces. */
function partsOf(word: string): string[] {
  if (!MAY_BE_UNSPACED.test(word)) return [word];
  return word.match(RUNS)!.flatMap((part) => part.match(WORD) ?? []);
}

/** Returns true for a word without spaces around it: it is searched by pairs of letters. */
const isUnspaced = (word: string): boolean => MAY_BE_UNSPACED.test(word) && IS_UNSPACED.test(word);

/** Returns a word without the dots between letters and numbers, so that A5.15 and A.5.15 are one word. */
function withoutInnerDots(word: string): string {
  return word.includes('.') ? word.replace(/(?<=\p{L})\.(?=\p{N})|(?<=\p{N})\.(?=\p{L})/gu, '') : word;
}

/** Returns the distinct normalized words of a text. Letters of a script without spaces are one word up to the next sign. */
export function normalizedWords(text: string): string[] {
  const words = normalizeText(text).match(WORD) ?? [];
  return [...new Set(words.flatMap(partsOf).map(withoutInnerDots))];
}

/**
 * Returns a record's search words: all of short texts, the first 100 distinct words of each long text. They include
 * - a number without its padding, so that both 07 and 7 find NC-07;
 * - words put together, so that NIS2, R005 and email find NIS 2, R-005 and e-mail, and the number of NIS2;
 * - pairs of letters of a text without spaces, so that 情報 finds 個人情報保護.
 */
export function searchWords(short: readonly (string | null)[], long: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of short) addSearchWords(words, text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  for (const text of long) addSearchWords(words, text, MAX_WORDS_PER_TEXT, MAX_PAIRS_PER_TEXT);
  for (const word of [...words]) words.add(withoutPadding(word));
  return [...words];
}

function addSearchWords(words: Set<string>, text: string | null, maxWords: number, maxPairs: number): void {
  if (text === null || text === '') return;
  const runs: string[] = [];
  let [previous, beforePrevious] = ['', ''];
  for (const { word, gap } of firstWords(normalizeText(text), maxWords)) {
    if (isUnspaced(word)) {
      runs.push(word);
      previous = '';
      continue;
    }
    words.add(withoutInnerDots(word));
    if (/\d/.test(word)) words.add(secondPart(word));
    // ISO/IEC 27001 is found as ISO27001, too.
    if (belongTogether(previous, gap, word)) words.add(previous + word).add(beforePrevious + word);
    [previous, beforePrevious] = [word, gap === '/' ? previous : ''];
  }
  for (const pair of [...new Set(runs.flatMap(letterPairs))].slice(0, maxPairs)) words.add(pair);
}

/** Returns the second part of a word that has two, such as the number of NIS2; else the word. */
function secondPart(word: string): string {
  const [, number, letters] = TWO_PARTS.exec(word) ?? [];
  return number ?? letters ?? withoutInnerDots(word);
}

/** Yields the words up to a number of distinct ones, each with the signs before it. */
function* firstWords(text: string, maxWords: number): Generator<{ word: string; gap: string }> {
  const seen = new Set<string>();
  let end = 0;
  for (const { 0: match, index } of text.matchAll(WORD)) {
    for (const [place, word] of partsOf(match).entries()) {
      seen.add(word);
      if (seen.size > maxWords) return;
      yield { word, gap: place === 0 ? text.slice(end, index) : '' };
    }
    end = index + match.length;
  }
}

/** Returns true if two words can also be written as one: letters and a number, or two halves of a word. */
function belongTogether(word: string, gap: string, next: string): boolean {
  if (word === '' || gap.length > 2) return false;
  const [hasDigit, nextHasDigit] = [/\d/.test(word), /\d/.test(next)];
  if (!hasDigit && !nextHasDigit) return IN_WORD.test(gap);
  if (!BESIDE_NUMBER.test(gap)) return false;
  return hasDigit ? !nextHasDigit && /^[\d.]+$/.test(word) : /^\d/.test(next);
}

/** Returns each letter of a run with the next one, and the last letter. */
function letterPairs(run: string): string[] {
  const letters = [...run];
  return letters.map((letter, index) => letter + (letters[index + 1] ?? ''));
}

/** The mark between a field's name and one of its words. No word of a text contains it. */
const FIELD_MARK = ':';

/** Returns the search words by which a filter finds the words of one field. */
export function fieldWords(field: string, text: string | null): string[] {
  return fieldPrefixes(field, searchWords([text], []));
}

/** Returns prefixes of `fieldWords`. */
export function fieldPrefixes(field: string, prefixes: readonly string[]): string[] {
  return prefixes.map((prefix) => `${field}${FIELD_MARK}${prefix}`);
}

/**
 * Returns the words of a query, each as prefixes of which a record's words must have one. A prefix that ends in a space is a
 * whole word. R-001 is `[['r'], ['001', '1 ']]`: the padded number as it is typed, so far, or the number 1, but not 10.
 * Other numbers lose their padding: R-1 finds. A text without spaces is its pairs of letters.
 */
export function queryWords(query: string): string[][] {
  const words = normalizedWords(query).flatMap((word) => (isUnspaced(word) ? pairsOf(word) : [prefixesOf(word)]));
  return [...new Map(words.map((prefixes) => [prefixes.join(), prefixes])).values()];
}

function pairsOf(run: string): string[][] {
  const pairs = letterPairs(run);
  return pairs.length === 1 ? [pairs] : pairs.slice(0, -1).map((pair) => [`${pair} `]);
}

function prefixesOf(word: string): string[] {
  // Zeros at the end may be the beginning of a padded number, which is stored too.
  if (/(?<!\d)0+$/.test(word)) return [word];
  const unpadded = withoutPadding(word);
  return /(?<!\d)0+[1-9]\d*$/.test(word) ? [word, `${unpadded} `] : [unpadded];
}

/** Removes the zeros before numbers: nc07 becomes nc7, and a.05.10 becomes a.5.10. */
export function withoutPadding(word: string): string {
  return word.replace(/(?<!\d)0+(?=[1-9])/g, '');
}
