import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';

let encoding: Tiktoken | undefined;

/** What a text costs a model to read, in tokens of cl100k: a yardstick that others can check, though models differ. */
export function tokensOf(text: string): number {
  encoding ??= new Tiktoken(cl100k);
  return encoding.encode(text, [], []).length;
}
