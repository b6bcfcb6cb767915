import { nearest } from '../../commands/engine/nearest.ts';

/** Longer words must be right, because comparing letter by letter takes time. */
const MAX_COMPARED_LENGTH = 24;

/**
 * The words of a record, to find those that are spelled nearly like a searched one: center like centre, and organization
 * like organisation. The first letter must be right, and the whole of a number or of a word of up to three letters, such
 * as MFA.
 */
export class SimilarWords {
  compared = 0;
  private readonly cache = new Map<string, boolean>();

  constructor(private readonly words: readonly string[]) {}

  /** Returns true if one of the words begins with the searched one, or is similar. */
  has(searched: string): boolean {
    const cached = this.cache.get(searched);
    if (cached !== undefined) return cached;
    const alike = this.words.filter((word) => word.startsWith(searched[0]!));
    this.compared += alike.length;
    const isSimilar =
      alike.some((word) => word.startsWith(searched)) || nearest(searched, alike, maxEdits(searched)) !== null;
    this.cache.set(searched, isSimilar);
    return isSimilar;
  }
}

function maxEdits(word: string): number {
  if (/\d/.test(word) || word.length < 4 || word.length > MAX_COMPARED_LENGTH) return 0;
  return word.length < 8 ? 1 : 2;
}
