import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { monotonicMs } from '../../clock/monotonic.ts';
import { dateOf } from '../../commands/engine/dates.ts';
import { MAX_RIGHTS_AGE_MS } from '../../commands/organization/caller.ts';
import { originGuard } from '../../http/access/origin.ts';
import { Cookies } from '../../http/cookies.ts';
import { ClientGone } from '../../http/http-errors.ts';
import { clientSignal } from '../../http/request.ts';
import { pageHeaders } from '../../http/security-headers.ts';
import { FairQueue } from '../../identity/fair-queue.ts';
import { CALLBACK_PATH } from '../../identity/openid/openid-transaction.ts';
import { type ErrorAnswer, type ErrorPlace, errorAnswer, errorPage } from '../components/error-page.tsx';
import { renderFragment, renderPage } from '../components/layout.tsx';
import { type RailCounts, readRailCounts } from '../register/rail-counts.ts';
import type { WebContext } from './context.ts';
import { FormTokens, refuseOtherSites, TOKEN_FIELD } from './csrf.ts';
import { hasErrors, MAX_RECORD_FORM_BYTES, NO_FORM_VALUES, readForm } from './form-state.ts';
import { storeNotice, takeNotice } from './notices.ts';
import {
  type PageContext,
  type PageRequest,
  Redirect,
  RefusedPage,
  type Reply,
  type Route,
  type SignedInPerson,
} from './page-request.ts';
import { readOwners } from './read-owners.ts';
import { RememberedBrowsers } from './remembered-browsers.ts';
import { safeNext } from './safe-next.ts';
import { withNext } from './sign-in-redirects.ts';
import type { WebPage } from './web-page.ts';

/** The statuses of errors that are shown in the frame of their organization. The others may have no data to read it from. */
const FRAMED_ERRORS = new Set([400, 403, 404, 409]);

const SEE_OTHER = 303;
const UNAVAILABLE = 503;

const FORM_LOST = 'You were signed out, so your form was not saved and nothing changed. Sign in and fill it in again.';

const ACCESS_CHANGED = {
  kind: 'WARNING',
  text: 'Your access changed while your form waited, so its answer is not shown. Look whether it was saved.',
} as const;

/** The pages of one person that are read at once. */
const PAGES_AT_ONCE = 2;

const NO_RAIL_COUNTS: RailCounts = new Map();

export type PageServerOptions = Pick<
  WebContext,
  'baseUrl' | 'formKey' | 'people' | 'members' | 'reader' | 'readClientInfo' | 'limits' | 'logger' | 'now'
>;

/** Serves pages: runs the checks before a route's handler, and sends its reply. */
export class PageServer {
  private readonly cookies: Cookies;
  private readonly tokens: FormTokens;
  private readonly rememberedBrowsers: RememberedBrowsers;
  private readonly guard: ReturnType<typeof originGuard>;
  private readonly headers: ReturnType<typeof pageHeaders>;
  private readonly turns = new FairQueue({ total: Number.POSITIVE_INFINITY, perAccount: PAGES_AT_ONCE });

  constructor(private readonly options: PageServerOptions) {
    const { baseUrl, formKey } = options;
    this.cookies = new Cookies(baseUrl);
    this.tokens = new FormTokens(formKey, this.cookies);
    this.rememberedBrowsers = new RememberedBrowsers(formKey, this.cookies);
    this.guard = originGuard(baseUrl);
    this.headers = pageHeaders();
  }

  async serve(ctx: PageContext, route: Route): Promise<void> {
    let person: SignedInPerson | null = null;
    try {
      this.guard(ctx.req);
      person = await this.findPerson(ctx);
      await this.countRequest(ctx, person);
      const formValues = route.method === 'POST' ? await this.readFormValues(ctx, person) : NO_FORM_VALUES;
      if (route.method === 'POST' && person !== null) {
        await eventLoopQueue.wait(person.account.id);
        // The form may have taken long to arrive.
        person = await this.findPerson(ctx);
      }
      // Before the form's token, which ended with the session: "reload the page" would not help.
      if (!route.isPublic && person === null)
        return await this.sendReply(ctx, person, this.redirectToSignIn(ctx, route));
      if (route.method === 'POST') this.tokens.check(ctx.req, person, formValues.get(TOKEN_FIELD)?.[0] ?? '');
      const request = this.pageRequest(ctx, person, formValues);
      const since = monotonicMs();
      const answer = async () => this.sendReply(ctx, person, await this.handle(route, request, since));
      await (route.method === 'GET' ? this.inTurn(ctx, person, answer) : answer());
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      if (error instanceof Redirect) return this.sendReply(ctx, person, error);
      if (error instanceof RefusedPage) return this.sendReply(ctx, person, error.page);
      await this.sendErrorPage(ctx, person, error);
    }
  }

  /** Sends an error page for an address or method without a route, and for a file that a browser can't have. */
  async showError(ctx: PageContext, error: unknown): Promise<void> {
    const person = await this.findPerson(ctx).catch(() => null);
    await this.sendErrorPage(ctx, person, error);
  }

  /** Shows a page when it is the person's turn. Many pages at once would delay other people's. */
  private inTurn({ res }: PageContext, person: SignedInPerson | null, answer: () => Promise<void>): Promise<void> {
    if (person === null) return answer();
    const { account, session } = person;
    const owner = { account_id: account.id, token_id: session.id };
    return this.turns.run(owner, answer, { signal: clientSignal(res) });
  }

  /**
   * Handles a request. What was read for a person who has lost access since is asked for again instead of shown. A form may
   * end its own session, such as for a second factor, so only an organization's page is withheld after it.
   * @param since the `monotonicMs` at which the person was looked up
   */
  private async handle({ method, handle }: Route, request: PageRequest, since: number): Promise<Reply> {
    const reply = await handle(request);
    // Reading a page and writing it as HTML take milliseconds each, so others get a turn between them.
    if (request.person !== null) await eventLoopQueue.wait(request.person.account.id);
    if (reply === null || reply instanceof Redirect || monotonicMs() - since <= MAX_RIGHTS_AGE_MS) return reply;
    if (method === 'POST' && reply.organization === undefined) return reply;
    if (await this.mayStillSee(request, reply)) return reply;
    return method === 'GET' ? new Redirect(request.ctx.url) : new Redirect('/organizations', ACCESS_CHANGED);
  }

  /** Returns false if the session, or the role in the page's organization, changed while the page was read. */
  private async mayStillSee({ person, isStillSignedIn }: PageRequest, { organization }: WebPage): Promise<boolean> {
    if (person === null) return true;
    if (!(await isStillSignedIn())) return false;
    if (organization === undefined) return true;
    const membership = await this.options.members.membership(person.account.id, organization.id);
    return membership?.role === organization.role;
  }

  /**
   * Reads a form, but not another site's. Its token is still to be checked. Only people who are signed in have the long
   * forms of records.
   * @throws HttpError
   */
  private async readFormValues(ctx: PageContext, person: SignedInPerson | null): Promise<PageRequest['formValues']> {
    refuseOtherSites(ctx.req, this.options.baseUrl);
    return person === null ? readForm(ctx.req) : readForm(ctx.req, MAX_RECORD_FORM_BYTES);
  }

  private pageRequest(
    ctx: PageContext,
    person: SignedInPerson | null,
    formValues: PageRequest['formValues'],
  ): PageRequest {
    return {
      ctx,
      cookies: this.cookies,
      rememberedBrowsers: this.rememberedBrowsers,
      clientInfo: {
        ...this.options.readClientInfo(ctx.req),
        rememberedBrowser: this.rememberedBrowsers.read(ctx.req) ?? undefined,
      },
      params: ctx.params,
      query: new URLSearchParams(ctx.querystring),
      formValues,
      sessionSecret: this.cookies.session(ctx.req),
      signInput: (query) => this.tokens.signInput(person?.account.id ?? '', query),
      person,
      isStillSignedIn: async () => (await this.findPerson(ctx)) !== null,
    };
  }

  private async findPerson({ req }: PageContext): Promise<SignedInPerson | null> {
    const { sessions, accounts, recentAuthentication } = this.options.people;
    const session = await sessions.find(this.cookies.session(req) ?? undefined);
    if (session === null) return null;
    const account = await accounts.get(session.account_id);
    if (account === null || account.erased_at !== null) return null;
    return { account, session, isRecent: recentAuthentication.isRecent(session) };
  }

  /**
   * Redirects to the sign-in page, and from there back to this page. After a POST that is the page with the form, and the
   * person is told that what it held was lost.
   */
  private redirectToSignIn(ctx: PageContext, { method }: Route): Redirect {
    if (method === 'GET') return new Redirect(withNext('/sign-in', ctx.url));
    const referer = ctx.get('Referer');
    const from = URL.canParse(referer) ? new URL(referer) : null;
    const isOurs = from !== null && from.origin === new URL(this.options.baseUrl).origin;
    const next = isOurs ? safeNext(from.pathname + from.search) : '/';
    return new Redirect(withNext('/sign-in', next), { kind: 'WARNING', text: FORM_LOST });
  }

  private async countRequest(ctx: PageContext, person: SignedInPerson | null): Promise<void> {
    const { limits } = this.options;
    if (person === null) await limits.admitStranger(ctx.req);
    else {
      ctx.state.account = person.account.id;
      await limits.admitCaller({ account_id: person.account.id, token_id: null });
    }
  }

  private async sendReply(ctx: PageContext, person: SignedInPerson | null, reply: Reply): Promise<void> {
    if (reply === null) return;
    if (!(reply instanceof Redirect)) {
      await this.sendPage(ctx, person, reply);
      return;
    }
    if (reply.notice !== null) storeNotice(ctx, this.cookies, reply.notice);
    ctx.status = SEE_OTHER;
    ctx.set('Location', reply.to);
    ctx.set(this.headers({ mayBePopup: mayBePopup(ctx) }));
    ctx.type = 'text/plain';
    ctx.body = 'Go to the address in the Location header.';
  }

  private async sendPage(ctx: PageContext, person: SignedInPerson | null, page: WebPage): Promise<void> {
    ctx.status = page.status ?? (page.form !== undefined && hasErrors(page.form) ? 400 : 200);
    ctx.set(this.headers({ formTargets: page.formTargets, mayBePopup: mayBePopup(ctx) }));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page.isFragment ? renderFragment(page) : await this.renderWhole(ctx, person, page);
  }

  private async renderWhole(ctx: PageContext, person: SignedInPerson | null, page: WebPage): Promise<string> {
    const railCounts = await this.readRailCounts(person, page);
    // One token for all forms of the page: before sign-in, each `issue` would set another cookie.
    let token: string | undefined;
    return renderPage(page, {
      name: person === null ? null : (person.account.name ?? ''),
      isDemo: person !== null && this.options.people.demo.includes(person.account.id),
      notice: takeNotice(ctx, this.cookies),
      address: ctx.url,
      railCounts,
      // Not the read models' day: the sign-in page and errors are shown while these are being built.
      today: dateOf(this.options.now().toISOString()),
      formToken: () => {
        token ??= this.tokens.issue(ctx, person);
        return token;
      },
    });
  }

  private async sendErrorPage(ctx: PageContext, person: SignedInPerson | null, error: unknown): Promise<void> {
    const answer: ErrorAnswer = errorAnswer(error);
    if (answer.status >= 500) {
      this.options.logger.error({ err: error, request: ctx.state.id }, 'a page could not be shown');
    }
    ctx.set(answer.headers);
    const place = person !== null && FRAMED_ERRORS.has(answer.status) ? await this.findPlace(ctx, person) : null;
    await this.sendPage(ctx, person, errorPage(answer, place));
  }

  /** Returns the organization in an address. Null if the person isn't its member, and while that can't be read. */
  private async findPlace({ path }: PageContext, { account }: SignedInPerson): Promise<ErrorPlace | null> {
    const { members } = this.options;
    const id = /\/organizations\/(org_\w+)/.exec(path)?.[1] ?? '';
    try {
      const membership = await members.membership(account.id, id);
      if (membership === null) return null;
      const { name, role } = membership;
      return { organization: { id, name, role }, owners: await readOwners(members, id) };
    } catch {
      return null;
    }
  }

  /** Reads the numbers of the frame. A page that needs no read models appears without them while they are unavailable. */
  private async readRailCounts(person: SignedInPerson | null, page: WebPage): Promise<RailCounts> {
    const { organization, moment, plain } = page;
    if (person === null || organization === undefined || plain) return NO_RAIL_COUNTS;
    try {
      const snapshot = this.options.reader.snapshot();
      return await readRailCounts({ snapshot, organization, past: moment?.past ?? null }, person.account.id);
    } catch (error) {
      if (errorAnswer(error).status === UNAVAILABLE) return NO_RAIL_COUNTS;
      throw error;
    }
  }
}

/**
 * Returns true for pages on the way to connect an assistant, which may have opened a popup: see pageHeaders. That includes
 * the OpenID callback, whose address doesn't tell where the person is going.
 */
function mayBePopup({ path, query }: PageContext): boolean {
  return (
    path.startsWith('/oauth/') || path === CALLBACK_PATH || safeNext(String(query.next ?? '')).startsWith('/oauth/')
  );
}
