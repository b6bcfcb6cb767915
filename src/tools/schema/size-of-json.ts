/** Levels of nesting. A message with its tool's inputs has seven. */
export const MAX_JSON_DEPTH = 32;
/** Members and elements in all. The largest input, 200 rows of evidence, has about 6,800. */
export const MAX_JSON_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the levels and parts of JSON, in one pass over the bytes outside strings. It stops where one of them is beyond its
 * limit: to parse such a text takes up to 200 ms.
 */
export function sizeOfJson(bytes: Buffer, maxParts = MAX_JSON_VALUES): { depth: number; parts: number } {
  let level = 0;
  let depth = 0;
  let parts = 0;
  for (let index = 0; index < bytes.length && depth <= MAX_JSON_DEPTH && parts <= maxParts; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        level -= 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        level += 1;
        depth = Math.max(depth, level);
        parts += 1;
        break;
      case COMMA:
        parts += 1;
        break;
    }
  }
  return { depth, parts };
}

/** Returns where a string ends that begins before `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}
