import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../../http/cookies.ts';
import type { RememberedBrowser } from '../../identity/client-info.ts';
import { equalInConstantTime } from '../../identity/sign-in/secret-text.ts';
import type { Session } from '../../identity/sign-in/sessions.ts';

const COOKIE = 'veritrail-known';
/** Half a year, from the last sign-in. */
const COOKIE_AGE_SECONDS = 183 * 86_400;
const ID_BYTES = 9;

/**
 * Remembers in a cookie that an account signed in from this browser. The cookie survives signing out and grants no
 * access.
 * Wrong passwords from a remembered browser are counted separately, so that strangers can't lock the owner out.
 */
export class RememberedBrowsers {
  constructor(
    private readonly key: Buffer,
    private readonly cookies: Cookies,
  ) {}

  /** Returns the browser, or null if the cookie is missing or was not issued by this service. */
  read(request: IncomingMessage): RememberedBrowser | null {
    const [account_id = '', id = '', generation = '', mac = ''] = (this.cookies.read(request, COOKIE) ?? '').split('.');
    const browser = { account_id, id, generation: Number(generation) };
    return equalInConstantTime(mac, this.mac(browser)) ? browser : null;
  }

  /**
   * Sets the cookie. A browser that is already remembered for this account keeps its id, so its failed attempts still
   * count.
   */
  remember(ctx: ParameterizedContext, { account_id, generation }: Pick<Session, 'account_id' | 'generation'>): void {
    const previous = this.read(ctx.req);
    const id = previous?.account_id === account_id ? previous.id : randomBytes(ID_BYTES).toString('base64url');
    const mac = this.mac({ account_id, id, generation });
    this.cookies.write(ctx, COOKIE, `${account_id}.${id}.${generation}.${mac}`, COOKIE_AGE_SECONDS);
  }

  private mac({ account_id, id, generation }: RememberedBrowser): string {
    return createHmac('sha256', this.key).update(`known ${account_id} ${id} ${generation}`).digest('base64url');
  }
}
