import { isUtf8 } from 'node:buffer';
import { invalidInput } from './http-errors.ts';

/** Levels of nesting. A message with its tool's inputs has seven. */
const MAX_JSON_DEPTH = 32;
/** Members and elements in all. The largest input, 200 rows of evidence, has about 6,800. */
const MAX_JSON_PARTS = 10_000;

/**
 * Returns the JSON value in a body or a query parameter.
 * @throws SyntaxError when there is none, or it is not UTF-8
 * @throws HttpError 400 when it nests too deeply or has too many parts: to parse such a text takes up to 200 ms
 */
export function parseJson(input: Buffer | string): unknown {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
  refuseExpensive(bytes);
  return JSON.parse(typeof input === 'string' ? input : bytes.toString('utf8'));
}

/** Returns a query parameter's JSON value, or its text if it is not JSON. @throws HttpError 400, as `parseJson` does */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts levels and parts, in one pass over the bytes outside strings. */
function refuseExpensive(bytes: Buffer): void {
  let depth = 0;
  let parts = 0;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        parts += 1;
        if (depth > MAX_JSON_DEPTH) throw tooDeep();
        break;
      case COMMA:
        parts += 1;
        break;
    }
    if (parts > MAX_JSON_PARTS) throw tooManyParts();
  }
}

/** Returns where a string ends that begins before `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}

const tooDeep = () =>
  invalidInput(
    `The JSON nests deeper than ${MAX_JSON_DEPTH} levels. Send objects and arrays as the tool describes them.`,
  );

const tooManyParts = () =>
  invalidInput(`The JSON has more than ${MAX_JSON_PARTS} members and elements. Send fewer in each call.`);
