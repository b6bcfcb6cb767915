import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../tokens/token.ts';

/** 32 bytes in base64url. */
const SECRET_FORMAT = /^[\w-]{43}$/;

/** Returns a secret for a cookie or a link: 32 random bytes. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the id under which a secret is stored. Null for malformed text, which then needs no look-up. */
export function secretId(text: string | undefined): string | null {
  return text !== undefined && SECRET_FORMAT.test(text) ? hashToken(text) : null;
}

/** Compares two texts in a time that doesn't depend on where they differ. */
export function equalInConstantTime(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
