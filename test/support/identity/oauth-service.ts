/** Runs the OAuth server in a separate app over real HTTP. A header signs a person in. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pino from 'pino';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { callerOf } from '../../../src/http/access/admission.ts';
import { challenges } from '../../../src/http/access/challenge.ts';
import { clientInfoReader } from '../../../src/http/access/client-info-reader.ts';
import { oauthEndpoints } from '../../../src/http/access/oauth-endpoints.ts';
import { createRateLimits } from '../../../src/http/access/rate-limits.ts';
import { type RequestState, requestMiddleware } from '../../../src/http/request.ts';
import type { AssistantEvent } from '../../../src/identity/access-log/access-events.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { accessTokenLookup } from '../../../src/identity/oauth/access-token-lookup.ts';
import type { ConsentDetails, ConsentGrant } from '../../../src/identity/oauth/consent.ts';
import type { MetadataFetchMode, OutboundNetwork } from '../../../src/identity/oauth/metadata-fetch.ts';
import { createOAuth, type OAuth } from '../../../src/identity/oauth/oauth.ts';
import { Authenticator } from '../../../src/identity/tokens/authenticator.ts';
import { Tokens } from '../../../src/identity/tokens/tokens.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { open, type TestIdentity } from './identity.ts';

export interface OAuthService {
  /** Base address, without a slash at the end. */
  url: string;
  resource: string;
  oauth: OAuth;
  authenticator: Authenticator;
  tokens: Tokens;
  members: Members;
  identity: TestIdentity;
  organizationId: string;
  owner: string;
  /** Assistants that the server disconnected. */
  assistantEvents: AssistantEvent[];
  /** Reported faults, so that tests can expect none. */
  faults: unknown[];
  /** Log messages about client metadata documents. */
  logged: string[];
  /** The address from which unauthenticated requests come. */
  clientInfo: { address: string };
  stop(): Promise<void>;
}

interface Options {
  /** Starts another instance on this service's data, or the same one after a restart. */
  sharedWith?: OAuthService;
  network?: OutboundNetwork;
  metadataFetch?: MetadataFetchMode;
  /** Account store to use instead of the folder's. The caller closes it. */
  accounts?: AccountStore;
  /** Stores that are open already. By default new ones. */
  identity?: TestIdentity;
  /** Base address, such as a proxy's, if it isn't the address that the service listens on. */
  baseUrl?: string;
}

/** The header that replaces the session cookie of a signed-in person. */
export const PERSON_HEADER = 'x-test-person';

const OFFLINE: OutboundNetwork = {
  resolve: async () => [],
  get: () => Promise.reject(new Error('nothing is outside')),
};

export async function startOAuth(options: Options = {}): Promise<OAuthService> {
  const { sharedWith: beside, network = OFFLINE, metadataFetch = 'on' } = options;
  const opened =
    options.identity ?? (beside ? await open(beside.identity.dataDir, beside.identity.clock) : await open());
  const identity = { ...opened, accounts: options.accounts ?? opened.accounts };
  const { installation, organizationId } = await firstStart(identity);
  const { accounts, handler, now } = identity;
  const server = await listen();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrl = options.baseUrl ?? beside?.url ?? url;
  const resource = `${baseUrl}/api/mcp/v1`;
  const faults: unknown[] = [];
  const assistantEvents: AssistantEvent[] = [];
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const clientInfo = { address: '203.0.113.7' };
  const authenticator = new Authenticator({
    accounts,
    handler,
    now,
    findAccessToken: accessTokenLookup(accounts, resource),
  });
  const tokens = new Tokens({ accounts, handler, now, onTokenChanged: (id) => authenticator.forget(id) });
  const members = new Members({ accounts, names: identity.names, handler, tokens, now });
  const signedIn = async (request: IncomingMessage) => (request.headers[PERSON_HEADER] as string | undefined) ?? null;
  const oauth = await createOAuth({
    accounts,
    tokens,
    members,
    signedIn,
    baseUrl,
    now,
    network,
    metadataFetch,
    log: { info: write, warn: write },
    addressOf: () => clientInfo.address,
    onAssistantEvent: (event) => void assistantEvents.push(event),
    report: (error) => faults.push(error),
  });
  server.on('request', appOf(oauth, authenticator, signedIn, baseUrl).callback());
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const owner = firstOwnerId(installation);
  const collaborators = { tokens, members, identity, organizationId, owner, assistantEvents, faults, logged };
  return { url, resource, oauth, authenticator, ...collaborators, clientInfo, stop };
}

function listen(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** The endpoints, stand-ins for the consent page and the error page that speak JSON, and one for the MCP endpoint. */
function appOf(
  oauth: OAuth,
  authenticator: Authenticator,
  signedIn: (request: IncomingMessage) => Promise<string | null>,
  baseUrl: string,
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(requestMiddleware(pino({ level: 'silent' })));
  app.use(oauthEndpoints(oauth, createRateLimits(null, clientInfoReader([]))));
  app.use(async (ctx, next) => {
    const authorizationError = oauth.authorizationError(ctx.req);
    if (authorizationError !== null) {
      ctx.status = authorizationError.status;
      ctx.body = authorizationError;
      return;
    }
    if (!ctx.path.startsWith('/oauth/interaction/')) return next();
    const person = await signedIn(ctx.req);
    if (person === null) return ctx.redirect(`/sign-in?next=${encodeURIComponent(ctx.path)}`);
    try {
      if (ctx.method === 'GET') ctx.body = await (await oauth.consent()).details(ctx, person);
      else {
        const answer = ctx.query.answer === undefined ? null : (JSON.parse(String(ctx.query.answer)) as ConsentGrant);
        ctx.status = 303;
        const consent = await oauth.consent();
        const answered =
          answer === null ? await consent.deny(ctx) : await consent.allow(ctx, accountActor(person), answer);
        ctx.redirect(answered.to);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ctx.status = 400;
      ctx.body = { refusal: error };
    }
  });
  const challenge = challenges(baseUrl);
  app.use(async (ctx) => {
    const caller = await callerOf(ctx.req, (token) => authenticator.authenticate(token), challenge);
    ctx.body = { ...caller, roles: Object.fromEntries(caller.roles), members: undefined };
  });
  return app;
}

/** The answer of the stand-in for the MCP endpoint to a valid token. */
export type AdmittedCaller = Omit<Caller, 'roles' | 'members'> & { roles: Record<string, string> };

/** A person's browser: it keeps cookies by their paths, and follows redirects within the service. */
export class TestBrowser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(
    private service: OAuthService,
    public person: string | null,
  ) {}

  async request(address: string, method = 'GET'): Promise<Response> {
    const { pathname, search } = new URL(address);
    const url = this.service.url + pathname + search;
    const cookies = [...this.cookies].filter(([, { path }]) => pathname.startsWith(path));
    const headers: Record<string, string> = {
      Cookie: cookies.map(([name, { value }]) => `${name}=${value}`).join('; '),
    };
    if (this.person !== null) headers[PERSON_HEADER] = this.person;
    const response = await fetch(url, { method, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  }

  /** Opens an authorization address. @returns where it ends: the consent page, or the client's redirect */
  async open(url: string): Promise<Response> {
    const first = await this.request(url);
    const to = first.headers.get('location');
    return to === null || !this.isOurs(to) ? first : this.request(new URL(to, this.service.url).href);
  }

  /** Opens an authorization address and reads the client from the consent page. */
  async consent(url: string): Promise<{ page: string; details: ConsentDetails }> {
    const response = await this.open(url);
    if (response.status !== 200) throw new Error(`no consent page: ${response.status} ${await response.text()}`);
    return { page: response.url, details: (await response.json()) as ConsentDetails };
  }

  /** Answers on the consent page; null denies. @returns the client's redirect */
  async answer(page: string, answer: ConsentGrant | null): Promise<URL> {
    const query = answer === null ? '' : `?answer=${encodeURIComponent(JSON.stringify(answer))}`;
    const response = await this.request(page + query, 'POST');
    const resume = response.headers.get('location');
    if (resume === null) throw new Error(`not answered: ${response.status} ${await response.text()}`);
    const last = await this.request(resume);
    const to = last.headers.get('location');
    if (to === null) throw new Error(`no way back: ${last.status} ${await last.text()}`);
    return new URL(to, this.service.url);
  }

  /** Opens an authorization address and allows everything in the service's first organization. */
  async allow(url: string, allowed: Partial<ConsentGrant> = {}): Promise<URL> {
    const { page } = await this.consent(url);
    const organizations = [this.service.organizationId];
    return this.answer(page, { organizations, role: 'EDITOR', read_only: false, ...allowed });
  }

  cookieValues(): string[] {
    return [...this.cookies.values()].map(({ value }) => value);
  }

  /** Sends the next requests to another instance, as a load balancer would. */
  moveTo(service: OAuthService): void {
    this.service = service;
  }

  private isOurs(to: string): boolean {
    return [this.service.url, this.service.oauth.addresses.issuer].includes(new URL(to, this.service.url).origin);
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const separator = pair.indexOf('=');
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    if (attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute)))
      this.cookies.delete(pair.slice(0, separator));
    else this.cookies.set(pair.slice(0, separator), { value: pair.slice(separator + 1), path });
  }
}
