import { nearest } from '../../commands/engine/nearest.ts';

/**
 * Returns true if one of the words begins with a searched word, or is spelled nearly alike: center is like centre, and
 * organization like organisation. A number, or a word of up to three letters, such as MFA, must be right.
 */
export function hasSimilarWord(words: readonly string[], searched: string): boolean {
  return words.some((word) => word.startsWith(searched)) || nearest(searched, words, maxEdits(searched)) !== null;
}

function maxEdits(word: string): number {
  if (/\d/.test(word) || word.length < 4) return 0;
  return word.length < 8 ? 1 : 2;
}
