import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Cookies } from '../../http/cookies.ts';
import { HttpError } from '../../http/http-errors.ts';
import type { Session } from '../../identity/sign-in/sessions.ts';

export const TOKEN_FIELD = 'form_token';
/** Forms are bound to this cookie before sign-in. */
const FORM_COOKIE = 'veritrail-form';
const SEED_BYTES = 18;

const OUT_OF_DATE = 'This form is out of date or came from another site. Go back, reload the page, and send it again.';

/** The person whose session a form is bound to. A renewed session keeps its age, so forms in other tabs still work. */
type FormPerson = { session: Pick<Session, 'account_id' | 'created_at'> } | null;

/**
 * Ties each form to the browser that received it. A form's token is a keyed hash of the session's account and age, or of a
 * random cookie before sign-in. Pages of other sites know no such hash. Each page has it under a mask of its own: the same text in every
 * page could be guessed from the sizes of compressed pages (BREACH).
 */
export class FormTokens {
  constructor(
    private readonly key: Buffer,
    private readonly cookies: Cookies,
  ) {}

  /** Returns the token for the forms of a page. Sets a cookie if the browser has none to tie the form to. */
  issue(ctx: ParameterizedContext, person: FormPerson): string {
    const binding = this.readBinding(ctx.req, person);
    if (binding !== null) return mask(this.hash(binding));
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    this.cookies.write(ctx, FORM_COOKIE, seed);
    return mask(this.hash(`form ${seed}`));
  }

  /** Refuses a token that was not issued to this browser. @throws HttpError 403 */
  check(request: IncomingMessage, person: FormPerson, token: string): void {
    const binding = this.readBinding(request, person);
    const hash = unmask(token);
    if (binding === null || hash === null || !timingSafeEqual(hash, this.hash(binding))) throw forbidden();
  }

  /** Signs input that an address keeps for a person. Other people's and other sites' addresses don't have the signature. */
  signInput(accountId: string, query: URLSearchParams): Buffer {
    return this.hash(`input of ${accountId} ${query}`);
  }

  private readBinding(request: IncomingMessage, person: FormPerson): string | null {
    if (person !== null) return `session of ${person.session.account_id} ${person.session.created_at}`;
    const cookie = this.cookies.session(request);
    if (cookie !== null) return `session ${cookie}`;
    const seed = this.cookies.read(request, FORM_COOKIE);
    return seed === null ? null : `form ${seed}`;
  }

  private hash(binding: string): Buffer {
    return createHmac('sha256', this.key).update(binding).digest();
  }
}

const HASH_BYTES = 32;

/** Returns random bytes, then the hash combined with them. */
function mask(hash: Buffer): string {
  const noise = randomBytes(HASH_BYTES);
  return Buffer.concat([noise, xor(hash, noise)]).toString('base64url');
}

/** Returns the hash in a masked token; null for a text of another length. */
function unmask(token: string): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  return bytes.length === 2 * HASH_BYTES ? xor(bytes.subarray(HASH_BYTES), bytes) : null;
}

const xor = (bytes: Buffer, other: Buffer) => bytes.map((byte, index) => byte ^ other[index]!) as Buffer;

/**
 * Refuses forms that another site made the browser send. Sec-Fetch-Site names the source; older browsers send only Origin.
 * @throws HttpError 403
 */
export function refuseOtherSites({ headers }: IncomingMessage, baseUrl: string): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
    throw forbidden();
  }
  const { origin, host = '' } = headers;
  if (origin === new URL(baseUrl).origin) return;
  // The host guard admitted this host, so it is the base address's or loopback.
  if (baseUrl.startsWith('http:') && origin === `http://${host}`) return;
  throw forbidden();
}

const forbidden = () => new HttpError(403, 'forbidden', OUT_OF_DATE);
