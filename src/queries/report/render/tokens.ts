import { PIECE, partsOf, ranksOf, read } from './byte-pairs.ts';
import { APART, MERGES, WORDS } from './token-table.ts';

/*
 * The most tokens that cl100k, the yardstick of assistants' windows, makes of a text. It cuts a text into pieces, and
 * joins each piece's bytes pair by pair, the pairs it learnt first before those it learnt later
 * (https://github.com/openai/tiktoken). Here the first of these joins are done, in the same order: it would only go on
 * joining, so there are no more tokens than parts. Common words are known to be one token.
 */

const listed = (table: string): string[] => table.split(/\s/).filter((one) => one !== '');

const RANKS = ranksOf(listed(MERGES).map(read));
const KNOWN = new Set(listed(WORDS).map((word) => ` ${word}`));
/** Pairs of capitals that are never joined alone. */
const NEVER = new Set(listed(APART));
/** What most of a table's lines are made of, each of them one token. */
const SIGNS = new Set([' |', '|', ' |\n', '|\n']);

/** The most tokens that a text is. */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    tokens += KNOWN.has(piece) || SIGNS.has(piece) ? 1 : Math.min(partsOf(piece, RANKS), capitalsAtMost(piece));
  }
  return tokens;
}

/**
 * The same of a piece of capitals, as ids have them, by another reason: two of them that are a token would be one part, so
 * that single ones stand beside one another only where they are none.
 */
function capitalsAtMost(piece: string): number {
  const [, before = '', letters] = /^([^A-Z]?)([A-Z]+)$/.exec(piece) ?? [];
  if (letters === undefined) return Number.POSITIVE_INFINITY;
  // The most parts until a letter: with it alone at the end, and with it joined to those before it.
  let [alone, joined, earlier] = [0, 0, 0];
  for (const [at, letter] of [...letters].entries()) {
    const most = Math.max(alone, joined);
    const isApart = at === 0 || NEVER.has(`${letters[at - 1]}${letter}`);
    [alone, joined, earlier] = [1 + (isApart ? most : joined), at === 0 ? 0 : 1 + earlier, most];
  }
  const most = Math.max(alone, joined);
  return Buffer.byteLength(before) + most;
}
