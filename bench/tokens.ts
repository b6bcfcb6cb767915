import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';

let encoding: Tiktoken | undefined;

/** Counts the tokens of a text by cl100k. Models differ, but others can check this yardstick. */
export function tokensOf(text: string): number {
  encoding ??= new Tiktoken(cl100k);
  return encoding.encode(text, [], []).length;
}

/** The bounds of tools/list (for the part that a model reads, and for the whole) and of the instructions. */
export const MAX_LIST_TOKENS = 6_806;
export const MAX_LIST_BYTES = 36 * 1024;
export const MAX_INSTRUCTION_TOKENS = 400;

interface ListedTool {
  name: string;
  description: string;
  inputSchema: object;
}

/** Returns the part of a tools/list that a model reads: names, descriptions and input schemas. */
export function partForModels(listJson: string): string {
  const tools = JSON.parse(listJson) as ListedTool[];
  return JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}
