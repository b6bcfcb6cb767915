import { randomFillSync } from 'node:crypto';

/** Asking the system costs the same for a few bytes as for many, so they are drawn ahead. */
const POOL_BYTES = 8 * 1024;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Cryptographically random bytes, in hex; each is given out once. */
export function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const text = pool.toString('hex', used, used + bytes);
  used += bytes;
  return text;
}
