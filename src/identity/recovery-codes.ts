import { randomBytes } from 'node:crypto';
import { hashToken } from './token.ts';

const COUNT = 10;
/** 80 bits: 16 letters. No guessing, so their hashes need neither salt nor cost. */
const BYTES = 10;
/** Crockford's base32: what looks alike is one letter. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten codes such as `7k3m-0q9x-…`, and what is kept of them. */
export function generateRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: COUNT }, makeCode);
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** Of a code however it was typed: in capitals, without hyphens, O for 0. */
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
