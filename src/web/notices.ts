import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../http/cookies.ts';
import type { Notice } from './visit.ts';

const COOKIE = 'veritrail-notice';
const SECONDS = 60;
const MAX_BYTES = 600;

/** Keeps a notice in the browser until the next page shows it. It is text for its reader, never trusted. */
export function keepNotice(ctx: ParameterizedContext, cookies: Cookies, { kind, text }: Notice): void {
  const bytes = Buffer.from(text).subarray(0, MAX_BYTES);
  cookies.write(ctx, COOKIE, `${kind}.${bytes.toString('base64url')}`, SECONDS);
}

/** The notice that was kept, once. */
export function takeNotice(ctx: ParameterizedContext, cookies: Cookies): Notice | null {
  const value = cookies.read(ctx.req, COOKIE);
  if (value === null) return null;
  cookies.clear(ctx, COOKIE);
  const [kind, text] = value.split('.');
  if ((kind !== 'DONE' && kind !== 'WARNING') || !text) return null;
  return { kind, text: Buffer.from(text, 'base64url').toString('utf8') };
}
