import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../http/cookies.ts';
import { sameText } from '../identity/secret-text.ts';
import type { Session } from '../identity/sessions.ts';
import type { KnownBrowser } from '../identity/visitor.ts';

const COOKIE = 'veritrail-known';
/** Half a year, from the last time that somebody signed in. */
const SECONDS = 183 * 86_400;
const ID_BYTES = 9;

/**
 * Remembers that an account was signed in to from a browser, in a cookie that it keeps after signing out. It lets nobody
 * in: who tries passwords from there is only counted apart from strangers, so that those cannot lock the owner out.
 */
export class KnownBrowsers {
  constructor(
    private readonly key: Buffer,
    private readonly cookies: Cookies,
  ) {}

  /** Null where the browser shows none, or one that we did not give it. */
  read(request: IncomingMessage): KnownBrowser | null {
    const [account_id = '', id = '', generation = '', seal = ''] = (this.cookies.read(request, COOKIE) ?? '').split(
      '.',
    );
    const known = { account_id, id, generation: Number(generation) };
    return sameText(seal, this.seal(known)) ? known : null;
  }

  /** Keeps the id that the browser has for this account already: it begins nothing anew by signing in again. */
  remember(ctx: ParameterizedContext, { account_id, generation }: Pick<Session, 'account_id' | 'generation'>): void {
    const before = this.read(ctx.req);
    const id = before?.account_id === account_id ? before.id : randomBytes(ID_BYTES).toString('base64url');
    const seal = this.seal({ account_id, id, generation });
    this.cookies.write(ctx, COOKIE, `${account_id}.${id}.${generation}.${seal}`, SECONDS);
  }

  private seal({ account_id, id, generation }: KnownBrowser): string {
    return createHmac('sha256', this.key).update(`known ${account_id} ${id} ${generation}`).digest('base64url');
  }
}
