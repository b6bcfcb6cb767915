import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';

/**
 * Counted by its bytes, which no token is less than: letters of scripts that know no spaces between words, and what stands
 * long without a space or is nothing else. The encoder takes the square of such a run's length.
 */
const BY_BYTES = /[^\0-\u052f]+|\S{40,}|\s{40,}/g;

const require = createRequire(import.meta.url);
let encoding: Tiktoken | undefined;

/** Loaded with the first text: 0.3 s and some 60 MB, which only those pay who read reports as Markdown. */
function cl100k(): Tiktoken {
  const lite = require('js-tiktoken/lite') as { Tiktoken: new (ranks: TiktokenBPE) => Tiktoken };
  return new lite.Tiktoken(require('js-tiktoken/ranks/cl100k_base') as TiktokenBPE);
}

/** The most tokens that a text is of cl100k, the yardstick of assistants' windows. */
export function tokensAtMost(text: string): number {
  encoding ??= cl100k();
  let most = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(BY_BYTES)) {
    // One more for a space or sign that is a token with the run's first letter, and apart from what it is encoded with here.
    most += encoding.encode(text.slice(from, index), [], []).length + 1 + Buffer.byteLength(run);
    from = index + run.length;
  }
  return most + encoding.encode(text.slice(from), [], []).length;
}
