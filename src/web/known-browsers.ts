import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../http/cookies.ts';
import { sameText } from '../identity/secret-text.ts';
import type { Session } from '../identity/sessions.ts';
import type { KnownBrowser } from '../identity/visitor.ts';

const COOKIE = 'veritrail-known';
/** Half a year, from the last sign-in. */
const MAX_AGE_SECONDS = 183 * 86_400;
const ID_BYTES = 9;

/**
 * Remembers in a cookie that an account signed in from this browser. The cookie survives signing out and grants no access.
 * Wrong passwords from a known browser are counted separately, so that strangers can't lock the owner out.
 */
export class KnownBrowsers {
  constructor(
    private readonly key: Buffer,
    private readonly cookies: Cookies,
  ) {}

  /** Returns the browser, or null if the cookie is missing or was not issued by this service. */
  read(request: IncomingMessage): KnownBrowser | null {
    const [account_id = '', id = '', generation = '', seal = ''] = (this.cookies.read(request, COOKIE) ?? '').split(
      '.',
    );
    const browser = { account_id, id, generation: Number(generation) };
    return sameText(seal, this.seal(browser)) ? browser : null;
  }

  /** Sets the cookie. A browser that is known for this account keeps its id, so its failed attempts still count. */
  remember(ctx: ParameterizedContext, { account_id, generation }: Pick<Session, 'account_id' | 'generation'>): void {
    const previous = this.read(ctx.req);
    const id = previous?.account_id === account_id ? previous.id : randomBytes(ID_BYTES).toString('base64url');
    const seal = this.seal({ account_id, id, generation });
    this.cookies.write(ctx, COOKIE, `${account_id}.${id}.${generation}.${seal}`, MAX_AGE_SECONDS);
  }

  private seal({ account_id, id, generation }: KnownBrowser): string {
    return createHmac('sha256', this.key).update(`known ${account_id} ${id} ${generation}`).digest('base64url');
  }
}
