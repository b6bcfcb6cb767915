import { toHex } from './bytes.ts';

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
