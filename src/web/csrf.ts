import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../http/cookies.ts';
import { HttpError } from '../http/http-errors.ts';
import { sameText } from '../identity/secret-text.ts';

/** The field that every form carries. */
export const TOKEN_FIELD = 'form_token';
/** The cookie that a form is bound to before anybody signed in. */
const FORM_COOKIE = 'veritrail-form';
const SEED_BYTES = 18;

const AGAIN = 'This form is out of date or came from another site: go back, reload the page, and send it again.';

/**
 * Ties forms to the browser that was shown them: a form's token is a keyed hash of the session's cookie, or before
 * signing in of a random one. A page of another site knows neither.
 */
export class FormTokens {
  constructor(
    private readonly key: Buffer,
    private readonly cookies: Cookies,
  ) {}

  /** The token for a form on this page. Gives the browser a cookie where it has none that the form could be tied to. */
  issue(ctx: ParameterizedContext): string {
    const kept = this.kept(ctx.req);
    if (kept !== null) return this.hash(kept);
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    this.cookies.write(ctx, FORM_COOKIE, seed);
    return this.hash(`form ${seed}`);
  }

  /** @throws HttpError 403 where the token is not the one that this browser was given */
  check(request: IncomingMessage, token: string): void {
    const kept = this.kept(request);
    if (kept === null || !sameText(token, this.hash(kept))) throw forbidden();
  }

  private kept(request: IncomingMessage): string | null {
    const session = this.cookies.session(request);
    if (session !== null) return `session ${session}`;
    const seed = this.cookies.read(request, FORM_COOKIE);
    return seed === null ? null : `form ${seed}`;
  }

  private hash(kept: string): string {
    return createHmac('sha256', this.key).update(kept).digest('base64url');
  }
}

/**
 * Refuses what another site had the browser send: Sec-Fetch-Site says so, and browsers without it say where a form
 * came from in Origin. @throws HttpError 403
 */
export function refuseOtherSites({ headers }: IncomingMessage, baseUrl: string): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
    throw forbidden();
  }
  const { origin, host = '' } = headers;
  if (origin === new URL(baseUrl).origin) return;
  // The guard of hosts has let this host in: where it is not the base address's, it is loopback.
  if (baseUrl.startsWith('http:') && origin === `http://${host}`) return;
  throw forbidden();
}

const forbidden = () => new HttpError(403, 'forbidden', AGAIN);
