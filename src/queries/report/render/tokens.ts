import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';

/**
 * Counted by its bytes, which no token is less than: what is not ASCII, and what stands long without a space or is nothing
 * else. The encoder takes the square of such a run's length.
 */
const BY_BYTES = /[^\0-\x7f]+|\S{40,}|\s{40,}/g;

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
  let bytes = 0;
  const rest = text.replace(BY_BYTES, (run) => {
    bytes += Buffer.byteLength(run);
    return ' ';
  });
  return bytes + encoding.encode(rest, [], []).length;
}
