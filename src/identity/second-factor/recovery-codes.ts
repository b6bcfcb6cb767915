import { randomBytes } from 'node:crypto';
import { hashToken } from '../tokens/token.ts';

const COUNT = 10;
/** 80 bits are 16 letters. They can't be guessed, so the hash needs no salt and no cost. */
const BYTES = 10;
/** Crockford's base32, which has no letters that look alike. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns ten codes such as `7k3m-0q9x-…`, and their hashes to store. */
export function generateRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: COUNT }, makeCode);
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** Hashes a code as typed. Capitals, missing hyphens and O for 0 make no difference. */
export function hashRecoveryCode(typed: string): string {
  const plain = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return hashToken(plain);
}

function makeCode(): string {
  let bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`);
  let code = '';
  for (let i = 0; i < (BYTES * 8) / 5; i++, bits >>= 5n) code += ALPHABET[Number(bits & 31n)];
  return code.replace(/.{4}(?=.)/g, '$&-');
}
