import { Cookies } from '../http/cookies.ts';
import { ClientGone, type HttpError } from '../http/http-errors.ts';
import { originGuard } from '../http/origin.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { CALLBACK_PATH } from '../identity/openid/openid.ts';
import type { WebContext } from './context.ts';
import { FormTokens, refuseOtherSites, TOKEN_FIELD } from './csrf.ts';
import { type ErrorAnswer, errorAnswer, errorPage } from './error-page.tsx';
import { isFaulty, NOTHING_SENT, readForm } from './forms.ts';
import { KnownBrowsers } from './known-browsers.ts';
import { renderPage } from './layout.tsx';
import { safeNext } from './next.ts';
import { keepNotice, takeNotice } from './notices.ts';
import type { Page } from './page.ts';
import { withNext } from './signing-in.ts';
import { type PageContext, type Person, Redirect, type Reply, type Route, type Visit } from './visit.ts';

const SEE_OTHER = 303;

/** Serves pages: the checks before a route's handler, and what its reply becomes. */
export class Site {
  private readonly cookies: Cookies;
  private readonly tokens: FormTokens;
  private readonly knownBrowsers: KnownBrowsers;
  private readonly guard: ReturnType<typeof originGuard>;
  private readonly headers: ReturnType<typeof pageHeaders>;

  constructor(private readonly context: WebContext) {
    this.cookies = new Cookies(context.baseUrl);
    this.tokens = new FormTokens(context.formKey, this.cookies);
    this.knownBrowsers = new KnownBrowsers(context.formKey, this.cookies);
    this.guard = originGuard(context.baseUrl);
    this.headers = pageHeaders(context.baseUrl);
  }

  async serve(ctx: PageContext, route: Route): Promise<void> {
    let person: Person | null = null;
    try {
      this.guard(ctx.req);
      person = await this.whoIs(ctx);
      this.count(ctx, person);
      const sent = route.method === 'POST' ? await this.readSent(ctx) : NOTHING_SENT;
      if (!route.open && person === null) return this.apply(ctx, person, toSignIn(ctx, route));
      this.apply(ctx, person, await route.handle(this.visit(ctx, person, sent)));
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      if (error instanceof Redirect) return this.apply(ctx, person, error);
      this.answerError(ctx, person, error);
    }
  }

  /** Shows an error where no route is, or none for the method. */
  async showError(ctx: PageContext, error: HttpError): Promise<void> {
    const person = await this.whoIs(ctx).catch(() => null);
    this.answerError(ctx, person, error);
  }

  /** The form, once it is known to be ours. */
  private async readSent(ctx: PageContext): Promise<Visit['sent']> {
    refuseOtherSites(ctx.req, this.context.baseUrl);
    const sent = await readForm(ctx.req);
    this.tokens.check(ctx.req, sent.get(TOKEN_FIELD)?.[0] ?? '');
    return sent;
  }

  private visit(ctx: PageContext, person: Person | null, sent: Visit['sent']): Visit {
    return {
      ctx,
      cookies: this.cookies,
      knownBrowsers: this.knownBrowsers,
      visitor: { ...this.context.visitorOf(ctx.req), known: this.knownBrowsers.read(ctx.req) ?? undefined },
      params: ctx.params,
      query: new URLSearchParams(ctx.querystring),
      sent,
      cookie: this.cookies.session(ctx.req),
      person,
    };
  }

  private async whoIs({ req }: PageContext): Promise<Person | null> {
    const { sessions, accounts } = this.context.people;
    const session = await sessions.find(this.cookies.session(req) ?? undefined);
    if (session === null) return null;
    const account = await accounts.get(session.account_id);
    return account === null || account.erased_at !== null ? null : { account, session };
  }

  private count(ctx: PageContext, person: Person | null): void {
    const { limits } = this.context;
    if (person === null) limits.stranger(ctx.req);
    else {
      ctx.state.account = person.account.id;
      limits.known({ account_id: person.account.id, token_id: null });
    }
  }

  private apply(ctx: PageContext, person: Person | null, reply: Reply): void {
    if (reply === null) return;
    if (!(reply instanceof Redirect)) {
      this.show(ctx, person, reply);
      return;
    }
    if (reply.notice !== null) keepNotice(ctx, this.cookies, reply.notice);
    ctx.status = SEE_OTHER;
    ctx.set('Location', reply.to);
    ctx.set(this.headers({ opened: isOpened(ctx) }));
    ctx.type = 'text/plain';
    ctx.body = 'See the address in Location.';
  }

  private show(ctx: PageContext, person: Person | null, page: Page): void {
    ctx.status = page.status ?? (page.form !== undefined && isFaulty(page.form) ? 400 : 200);
    ctx.set(this.headers({ formTargets: page.formTargets, opened: isOpened(ctx) }));
    // One for all forms of a page: each would give a stranger's browser another cookie to be tied to.
    let token: string | undefined;
    const html = renderPage(page, {
      name: person === null ? null : (person.account.name ?? ''),
      notice: takeNotice(ctx, this.cookies),
      formToken: () => {
        token ??= this.tokens.issue(ctx);
        return token;
      },
    });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = html;
  }

  private answerError(ctx: PageContext, person: Person | null, error: unknown): void {
    const answer: ErrorAnswer = errorAnswer(error);
    if (answer.status >= 500) {
      this.context.logger.error({ err: error, request: ctx.state.id }, 'a page could not be shown');
    }
    ctx.set(answer.headers);
    this.show(ctx, person, errorPage(answer));
  }
}

/**
 * On the way to connect an assistant, which may have opened a window for it: see pageHeaders. Who comes back from the OpenID
 * provider may be on that way, which the address does not tell.
 */
function isOpened({ path, query }: PageContext): boolean {
  return (
    path.startsWith('/oauth/') || path === CALLBACK_PATH || safeNext(String(query.next ?? '')).startsWith('/oauth/')
  );
}

/** Somebody who has to sign in comes back to the page that they wanted; to a form they could not send again. */
function toSignIn(ctx: PageContext, { method }: Route): Redirect {
  return new Redirect(withNext('/sign-in', method === 'GET' ? ctx.url : '/'));
}
