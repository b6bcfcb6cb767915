import { randomBytes } from 'node:crypto';
import { hashToken } from './token.ts';

/** 32 bytes in base64url. */
const FORM = /^[\w-]{43}$/;

/** What a cookie or a link carries: 32 random bytes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The id under which a secret is kept; null for a text that is none, so that no store need be asked. */
export function secretId(text: string | undefined): string | null {
  return text !== undefined && FORM.test(text) ? hashToken(text) : null;
}
