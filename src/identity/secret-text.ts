import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from './token.ts';

/** 32 bytes in base64url. */
const SECRET_FORMAT = /^[\w-]{43}$/;

/** What a cookie or a link carries: 32 random bytes. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The id under which a secret is kept; null for a text that is none, so that no store need be asked. */
export function secretId(text: string | undefined): string | null {
  return text !== undefined && SECRET_FORMAT.test(text) ? hashToken(text) : null;
}

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function equalInConstantTime(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
