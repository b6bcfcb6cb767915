/** Hex, base64, UTF-8 and random bytes, without what only Node.js has. */

const encoder = new TextEncoder();

/** Returns text in UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const HEX_DIGITS = '0123456789abcdef';
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte >> 4]! + HEX_DIGITS[byte & 15]!);
/** The value of a hex digit by its character code. */
const VALUE_OF_DIGIT = new Uint8Array(128);
for (const [value, digit] of [...HEX_DIGITS].entries()) VALUE_OF_DIGIT[digit.charCodeAt(0)] = value;

/** Returns bytes in lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 1) text += HEX_OF_BYTE[bytes[i]!];
  return text;
}

/** Writes the bytes of lower-case hex into `target`, from index `at`. @param hex checked by the caller */
export function writeHex(hex: string, target: Uint8Array, at: number): void {
  const { length } = hex;
  for (let i = 0; i < length; i += 2) {
    const high = VALUE_OF_DIGIT[hex.charCodeAt(i)]!;
    target[at + i / 2] = (high << 4) | VALUE_OF_DIGIT[hex.charCodeAt(i + 1)]!;
  }
}

/** Memory for joining the bytes that most hashes need. New memory for each would take as long as hashing them. */
const scratch = new Uint8Array(64 * 1024);
/** The longest UTF-8 of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Returns the bytes of lower-case hex, followed by text in UTF-8. They hold only until the next call.
 * @param hex checked by the caller
 */
export function bytesOf(hex: string, text = ''): Uint8Array {
  const start = hex.length / 2;
  const maxBytes = start + text.length * MAX_BYTES_PER_UNIT;
  const bytes = maxBytes <= scratch.length ? scratch : new Uint8Array(maxBytes);
  writeHex(hex, bytes, 0);
  if (text === '') return bytes.subarray(0, start);
  return bytes.subarray(0, start + encoder.encodeInto(text, bytes.subarray(start)).written);
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Returns the bytes of a base64 text. Null if the length differs from `length`, or the text isn't standard base64. */
export function fromBase64(text: string, length: number): Uint8Array | null {
  // Also rejects the white space and the missing padding that atob accepts.
  if (text.length !== Math.ceil(length / 3) * 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytes.length === length && toBase64(bytes) === text ? bytes : null;
}

/** Bytes fetched from the system at once, because a call for a few random bytes takes as long as one for many. */
const POOL_BYTES = 8 * 1024;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Returns cryptographically random bytes, in hex. No byte of the pool is used twice. */
export function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const text = toHex(pool.subarray(used, used + bytes));
  used += bytes;
  return text;
}
