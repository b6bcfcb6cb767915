import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';

/** More than this without a space, or of spaces alone, is counted by its bytes: taking it apart would take the square of its length. */
const ENDLESS = /\S{300,}|\s{300,}/g;

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
  let ofEndless = 0;
  const rest = text.replace(ENDLESS, (run) => {
    ofEndless += Buffer.byteLength(run);
    return '\n';
  });
  return ofEndless + encoding.encode(rest, [], []).length;
}
