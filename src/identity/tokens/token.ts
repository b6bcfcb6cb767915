import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Digits of base62, in their order. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** API tokens, and OAuth's access and refresh tokens. Refresh tokens can't be used for calls. */
const PREFIXES = { API: 'vtr_', ACCESS: 'vto_', REFRESH: 'vtf_' } as const;
export type TokenKind = keyof typeof PREFIXES;
/** The number of base62 digits for 32 bytes, and for the 4 bytes of a checksum. */
const SECRET_WIDTH = 43;
const CHECKSUM_WIDTH = 6;
const SECRET_FORMAT = new RegExp(`^[0-9A-Za-z]{${SECRET_WIDTH + CHECKSUM_WIDTH}}$`);

/**
 * Generates a token: a prefix such as `vtr_`, 32 random bytes and a checksum. Secret scanners recognize its form.
 * @param bytes 32 bytes that nobody can guess, to make the same token again
 */
export function generateToken(kind: TokenKind = 'API', bytes: Buffer = randomBytes(32)): string {
  const secret = PREFIXES[kind] + base62(BigInt(`0x${bytes.toString('hex')}`), SECRET_WIDTH);
  return secret + checksumOf(secret);
}

/** Returns true if prefix and checksum are right. Needs no store. */
export function isWellFormed(token: string, kind: TokenKind = 'API'): boolean {
  const prefix = PREFIXES[kind];
  if (!token.startsWith(prefix) || !SECRET_FORMAT.test(token.slice(prefix.length))) return false;
  return token.endsWith(checksumOf(token.slice(0, -CHECKSUM_WIDTH)));
}

/** Returns true for the form of an OAuth access token. */
export function isAccessToken(token: string): boolean {
  return token.startsWith(PREFIXES.ACCESS);
}

/** Returns the stored hash of a token: SHA-256 in hex. Tokens are random enough to need no salt. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_WIDTH);
}

function base62(value: bigint, width: number): string {
  let text = '';
  for (let quotient = value; text.length < width; quotient /= 62n) text = DIGITS[Number(quotient % 62n)] + text;
  return text;
}
