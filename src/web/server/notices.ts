import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../../http/cookies.ts';
import type { Notice } from './page-request.ts';

const COOKIE = 'veritrail-notice';
const COOKIE_AGE_SECONDS = 60;
const MAX_NOTICE_BYTES = 600;

/** Stores a notice in a cookie until the next page shows it. Its text is for the reader only and never trusted. */
export function storeNotice(ctx: ParameterizedContext, cookies: Cookies, { kind, text }: Notice): void {
  const bytes = Buffer.from(text).subarray(0, MAX_NOTICE_BYTES);
  cookies.write(ctx, COOKIE, `${kind}.${bytes.toString('base64url')}`, COOKIE_AGE_SECONDS);
}

/** Returns the stored notice and deletes it. */
export function takeNotice(ctx: ParameterizedContext, cookies: Cookies): Notice | null {
  const value = cookies.read(ctx.req, COOKIE);
  if (value === null) return null;
  cookies.clear(ctx, COOKIE);
  const [kind, text] = value.split('.');
  if ((kind !== 'DONE' && kind !== 'WARNING') || !text) return null;
  return { kind, text: Buffer.from(text, 'base64url').toString('utf8') };
}
