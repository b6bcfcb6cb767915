import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../../http/cookies.ts';
import type { Notice, NoticeUndo } from './page-request.ts';

const COOKIE = 'veritrail-notice';
const COOKIE_AGE_SECONDS = 60;
const MAX_NOTICE_BYTES = 600;
/** The undo of one call for each family has about 1,200. */
const MAX_UNDO_BYTES = 1400;

/** The address of a form that undoes a call, and the text of its button. */
const UNDO = /^(\/organizations\/org_\w{1,40}\/undo\/[\da-f-]{36}(?:\?first=[\da-f-]{36})?) (\S.*)$/;

const RECORD_ADDRESS = /^\/organizations\/org_\w{1,40}\/[a-z]{1,40}\/[a-z]{3}_\w{1,40}$/;

/** Stores a notice in a cookie until the next page shows it. Its text is for the reader only and never trusted. */
export function storeNotice(
  ctx: ParameterizedContext,
  cookies: Cookies,
  { kind, text, undos = [], link }: Notice,
): void {
  const undoText = undos.map(({ address, button }) => `${address} ${button}`).join('\n');
  const parts = [text, undoText, link?.address ?? '', link?.name ?? ''].map((part, index) =>
    Buffer.from(part)
      .subarray(0, index === 1 ? MAX_UNDO_BYTES : MAX_NOTICE_BYTES)
      .toString('base64url'),
  );
  cookies.write(ctx, COOKIE, [kind, ...parts].join('.'), COOKIE_AGE_SECONDS);
}

/** Returns the stored notice and deletes it. */
export function takeNotice(ctx: ParameterizedContext, cookies: Cookies): Notice | null {
  const value = cookies.read(ctx.req, COOKIE);
  if (value === null) return null;
  cookies.clear(ctx, COOKIE);
  const [kind, ...parts] = value.split('.');
  const [text, undoText = '', address = '', name = ''] = parts.map((part) =>
    Buffer.from(part, 'base64url').toString('utf8'),
  );
  if ((kind !== 'DONE' && kind !== 'WARNING') || !text) return null;
  const link = RECORD_ADDRESS.test(address) && name !== '' ? { address, name } : undefined;
  return { kind, text, undos: undoText.split('\n').flatMap(undoIn), link };
}

function undoIn(line: string): NoticeUndo[] {
  const [, undo, button] = UNDO.exec(line) ?? [];
  return undo === undefined || button === undefined ? [] : [{ address: undo, button }];
}
