import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';

/**
 * Text counted by bytes, because a token has at least one byte: scripts without spaces between words, and long runs with
 * or without spaces. The encoder's time grows with the square of such a run's length.
 */
const COUNTED_BY_BYTES = /[^\0-\u052f]+|\S{40,}|\s{40,}/g;

const require = createRequire(import.meta.url);
let encoding: Tiktoken | undefined;

/** Loads the encoder with the first text. It costs 0.3 s and 60 MB, which only Markdown reports need. */
function cl100k(): Tiktoken {
  const lite = require('js-tiktoken/lite') as { Tiktoken: new (ranks: TiktokenBPE) => Tiktoken };
  return new lite.Tiktoken(require('js-tiktoken/ranks/cl100k_base') as TiktokenBPE);
}

/** Returns an upper bound for a text's number of tokens in cl100k, a common encoding. */
export function maxTokenCount(text: string): number {
  encoding ??= cl100k();
  let count = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(COUNTED_BY_BYTES)) {
    // Plus one: encoded together, the character before the run could have been a token with the run's first letter.
    count += encoding.encode(text.slice(from, index), [], []).length + 1 + Buffer.byteLength(run);
    from = index + run.length;
  }
  return count + encoding.encode(text.slice(from), [], []).length;
}
