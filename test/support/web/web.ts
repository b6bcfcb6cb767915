/** Serves the pages on test stores. Its test browsers have a cookie jar and fill in the forms of pages. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import pino from 'pino';
import { createRegister, type Register } from '../../../src/app/create-register.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { admission } from '../../../src/http/access/admission.ts';
import { clientInfoReader } from '../../../src/http/access/client-info-reader.ts';
import { createRateLimits } from '../../../src/http/access/rate-limits.ts';
import { Cookies } from '../../../src/http/cookies.ts';
import { createPdfPrinter } from '../../../src/http/files/pdf-printer.ts';
import { recordFileRoutes } from '../../../src/http/files/record-file-routes.ts';
import { RecordFileReader } from '../../../src/http/files/record-files.ts';
import { reportFileRoutes } from '../../../src/http/files/report-file-routes.ts';
import { ReportFileGenerator } from '../../../src/http/files/report-files.ts';
import { SpooledFiles } from '../../../src/http/files/spooled-files.ts';
import { type RequestState, requestMiddleware } from '../../../src/http/request.ts';
import type { AccountEvent, AccountLinkEvent } from '../../../src/identity/access-log/access-events.ts';
import { AccessLogReader } from '../../../src/identity/access-log/access-log-reader.ts';
import { openPeople } from '../../../src/identity/accounts/people.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { accountActor, requireOrganization } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { TakenNames } from '../../../src/identity/memberships/taken-names.ts';
import { createOAuth } from '../../../src/identity/oauth/oauth.ts';
import { OpenId } from '../../../src/identity/openid/openid.ts';
import type { OpenIdSettings } from '../../../src/identity/openid/openid-provider.ts';
import { OrganizationTokens } from '../../../src/identity/tokens/organization-tokens.ts';
import { firstSealOf } from '../../../src/projections/transparency/seal-documents.ts';
import { CursorKey } from '../../../src/queries/lists/cursor.ts';
import { readMemberNames } from '../../../src/queries/records/member-names.ts';
import type { WebContext } from '../../../src/web/server/context.ts';
import { createPages } from '../../../src/web/server/create-pages.ts';
import { open, type TestIdentity } from '../identity/identity.ts';
import { SILENT_LOG } from '../register.ts';
import { until } from '../run/wait.ts';
import { sealing } from '../trail/sealing.ts';

export const OWNER = { name: 'Ada Byron', email: 'ada@example.org', password: 'analytical engine 1843' };

/** `openId`: settings of a provider, or true for one that is never contacted. `stores`: databases, in place of SQLite. */
export type WebChanges = Partial<Omit<WebContext, 'openId'>> & {
  openId?: true | OpenIdSettings;
  stores?: Parameters<typeof open>[2];
};

/** After this time, a sealer seals any change. */
const SEAL_WAIT_MS = 61_000;
const SEALING_TIMEOUT_MS = 10_000;

const NOWHERE: OpenIdSettings = { issuer: 'http://127.0.0.1:9', clientId: 'veritrail', clientSecret: 'none' };

export interface WebTest extends WebContext {
  /** Events for the access log. */
  accountEvents: AccountEvent[];
  /** The events of links that let people in. */
  linkEvents: AccountLinkEvent[];
  identity: TestIdentity;
  /** The address that the server listens on. */
  url: string;
  installation: string;
  organizationId: string;
  /** The first organization's owner: `OWNER`, after `setUpOwner`. */
  ownerId: string;
  /** Calls a tool as the first owner, with an assistant if named, and returns the answer. @throws for a refusal */
  call<T extends object>(tool: string, args: object, assistant?: string): Promise<T>;
  /** Does the same as another account. */
  callAs<T extends object>(accountId: string, tool: string, args: object, assistant?: string): Promise<T>;
  /** Seals everything that was written so far, and waits until the read models have the seal. */
  seal(): Promise<void>;
  /** Returns a new browser without cookies. */
  browser(): TestBrowser;
  /** Sets up the first owner's account and returns their signed-in browser. */
  setUpOwner(): Promise<TestBrowser>;
  /** Invites a person, accepts for them, and returns their signed-in browser. */
  invite(person: typeof OWNER, role: 'OWNER' | 'ADMIN' | 'EDITOR' | 'AUDITOR' | 'VIEWER'): Promise<TestBrowser>;
  stop(): Promise<void>;
}

/** @param baseUrl the public address; its port 0 is replaced. Default: the address that the server listens on */
export async function startWeb(baseUrl?: string, { openId, stores, ...more }: WebChanges = {}): Promise<WebTest> {
  const identity = await open(undefined, undefined, stores);
  const { handler, accounts, names, tokens, now } = identity;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const base = baseUrl?.replace(/:0$/, `:${port}`) ?? url;
  const { installation, organizationId } = await firstStart({ accounts, log: identity.log, handler, now });
  const register = createRegister({
    ...identity,
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.alloc(32, 6),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  await register.projections.start(installation);
  const members = new Members({ accounts, names, handler, tokens, now });
  const accountEvents: AccountEvent[] = [];
  const linkEvents: AccountLinkEvent[] = [];
  const people = openPeople({
    onAccountEvent: (event) => accountEvents.push(event),
    onLinkEvent: (event) => linkEvents.push(event),
    accounts,
    names,
    now,
    baseUrl: base,
    takenNames: new TakenNames({ accounts, names, handler }),
    leaveAll: (id) => members.leaveAll(id),
    organizationsOf: (id) => members.organizationsOf(id),
    organizationsOnRecord: (id) => members.organizationsOnRecord(id),
    join: async ({ organization_id, role, until, made_by }, id) =>
      members.add(organization_id, id, role, accountActor(made_by), until),
  });
  const readNames = (id: string, accountIds: Iterable<string>) =>
    readMemberNames({ names, models: { get: async () => [] } }, id, accountIds);
  const readClientInfo = clientInfoReader([]);
  const oauth = await createOAuth({
    accounts,
    tokens,
    members,
    baseUrl: base,
    now,
    signedIn: async () => null,
    metadataFetch: 'off',
    log: pino({ level: 'silent' }),
    addressOf: (request) => readClientInfo(request).address,
    report: (error) => {
      throw error;
    },
  });
  const context: WebContext = {
    baseUrl: base,
    endpoint: `${base}/api/mcp/v1`,
    formKey: Buffer.alloc(32, 7),
    people,
    members,
    tokens,
    organizationTokens: new OrganizationTokens({ accounts, names, handler, now }),
    oauth,
    onAssistantEvent: () => undefined,
    tools: register.tools,
    proposals: register.proposals,
    reader: register.reader,
    scanReaderOf: register.scanReaderOf,
    reportChoices: async () => ({ audits: { choices: [], isCut: false }, frameworks: { choices: [], isCut: false } }),
    canPrintPdf: () => true,
    sealingProblem: async () => null,
    accessLogReader: new AccessLogReader({ accounts, cursorKey: new CursorKey(Buffer.alloc(32, 8)), readNames }),
    readNames,
    openId:
      openId === undefined
        ? null
        : new OpenId({
            settings: openId === true ? NOWHERE : openId,
            accounts,
            people,
            members,
            baseUrl: base,
            now,
            key: Buffer.alloc(32, 9),
            onAccountEvent: (event) => accountEvents.push(event),
            report: () => undefined,
          }),
    organizationNameOf: async (id) => (await requireOrganization(handler, id)).name,
    readClientInfo,
    limits: createRateLimits(null, readClientInfo),
    logger: pino({ level: 'silent' }),
    now,
    ...more,
  };
  const app = new Koa<RequestState>();
  app.use(requestMiddleware(context.logger)).use(createPages(context)).use(downloadRoutes(context, register));
  server.on('request', app.callback());
  const ownerId = firstOwnerId(installation);
  const callAs: WebTest['callAs'] = async (accountId, tool, args, assistant) => {
    const client = assistant === undefined ? null : { name: assistant, version: '1' };
    const caller = { ...(await members.callerOf(accountId)), client };
    const { json } = await register.tools.call(tool, args, { caller, publicUrl: base });
    const answer = JSON.parse(json);
    if (answer.error !== undefined) throw new Error(json);
    return answer;
  };
  const browser = () => new TestBrowser(url, new URL(base).host, new URL(base).origin);
  return {
    ...context,
    accountEvents,
    linkEvents,
    identity,
    url,
    installation,
    organizationId,
    ownerId,
    call: (tool, args, assistant) => callAs(ownerId, tool, args, assistant),
    callAs,
    seal: async () => {
      const position = register.reader.snapshot().newestPosition(organizationId);
      await sealing({ stores: identity, projections: register.projections }).waitAndSeal(SEAL_WAIT_MS);
      const isSealed = async () =>
        (await firstSealOf(register.reader.snapshot().models, organizationId, position)) !== null;
      await until(isSealed, SEALING_TIMEOUT_MS, 'a seal covers the newest position');
    },
    browser,
    setUpOwner: async () => {
      const secret = (await people.setupLink(installation))!;
      return welcomed(browser(), secret, OWNER);
    },
    invite: async (person, role) => {
      const invitation = { kind: 'INVITATION', organization_id: organizationId, role, made_by: ownerId } as const;
      const { secret } = await people.links.create(invitation);
      return welcomed(browser(), secret, person);
    },
    stop: async () => {
      await stop(server);
      await register.projections.stop();
      await identity.close();
    },
  };
}

/** Returns the routes of downloads, for the sessions of the pages. */
function downloadRoutes({ baseUrl, limits, people, members, reader }: WebContext, register: Register) {
  const cookies = new Cookies(baseUrl);
  const admit = admission({ baseUrl, limits, authenticate: () => null }, async (request) => {
    const session = await people.sessions.find(cookies.session(request) ?? undefined);
    return session === null ? null : members.callerOf(session.account_id);
  });
  const router = new Router<RequestState>();
  const ignore = () => undefined;
  recordFileRoutes(router, admit, { files: new RecordFileReader(register.recordFiles), onDownload: ignore });
  const printer = createPdfPrinter('none', new SpooledFiles('unused'));
  reportFileRoutes(router, admit, { files: new ReportFileGenerator(reader, ignore, 'test'), printer });
  return router.routes();
}

async function welcomed(browser: TestBrowser, secret: string, person: typeof OWNER): Promise<TestBrowser> {
  await browser.get(`/welcome?key=${secret}`);
  const answer = await browser.send('/welcome/new', person);
  if (answer.status !== 303) throw new Error(`the link did not work: ${answer.status} ${answer.text}`);
  return browser;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

export interface PageAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The HTML as sent. */
  text: string;
  /** A redirect's target. */
  to: string | undefined;
}

/** A form in a page, with its hidden and visible fields and their values. */
export interface PageForm {
  method: string;
  action: string;
  fields: URLSearchParams;
}

/** One person's browser. It doesn't follow redirects by itself. `send` fills in a form of the current page. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  private page = '';

  constructor(
    private readonly url: string,
    private readonly host: string,
    private readonly origin: string,
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.request('GET', path, null, headers);
  }

  /** Follows a redirect. */
  follow({ to }: PageAnswer): Promise<PageAnswer> {
    if (to === undefined) throw new Error('this was not a redirect');
    return this.get(to);
  }

  /** Fills in the form with this action (without query) on the current page, and sends it. */
  send(action: string, fields: Record<string, string | readonly string[]> = {}): Promise<PageAnswer> {
    const form = formsIn(this.page).find((candidate) => candidate.action.split('?')[0] === action);
    if (form === undefined) throw new Error(`no form ${action} on:\n${this.page}`);
    for (const [name, value] of Object.entries(fields)) {
      form.fields.delete(name);
      for (const item of [value].flat()) form.fields.append(name, item);
    }
    return this.post(form.action, form.fields);
  }

  /** Sends a form that the current page does not have, with that page's token. */
  force(action: string, fields: Record<string, string> = {}): Promise<PageAnswer> {
    const form_token = /name="form_token" value="([^"]+)"/.exec(this.page)?.[1] ?? '';
    return this.post(action, { form_token, ...fields });
  }

  /** Sends any form, with the headers of our own pages. */
  post(path: string, fields: URLSearchParams | Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields).toString();
    const ownPageHeaders = { 'Sec-Fetch-Site': 'same-origin', Origin: this.origin };
    return this.request('POST', path, body, {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...ownPageHeaders,
      ...headers,
    });
  }

  /** Sends a request with these headers, Host and the cookies. */
  async request(
    method: string,
    path: string,
    body: string | null,
    headers: Record<string, string>,
  ): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const jar: Record<string, string> = cookie === '' ? {} : { Cookie: cookie };
    const all = { Host: this.host, Accept: 'text/html', ...jar, ...headers };
    const outgoing = request(`${this.url}${path}`, { method, headers: all, agent: false });
    outgoing.end(body ?? undefined);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    this.keep(answer.headers['set-cookie'] ?? []);
    if (String(answer.headers['content-type']).startsWith('text/html')) this.page = text;
    return { status: answer.statusCode!, headers: answer.headers, text, to: answer.headers.location };
  }

  private keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
  }
}

/** Returns a page without its forms' tokens, which differ each time. */
export const withoutFormTokens = (html: string): string => html.replaceAll(/name="form_token" value="[^"]*"/g, '');

/** Returns the forms of one of our pages. */
export function formsIn(html: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inside = '']) => {
    const fields = new URLSearchParams();
    for (const [tag, attribute] of inside.matchAll(/<input\b((?:"[^"]*"|[^>"])*)>/g)) {
      const elementAttributes = attributesOf(attribute ?? tag);
      if (elementAttributes.name === undefined) continue;
      if (['checkbox', 'radio'].includes(elementAttributes.type ?? '') && !('checked' in elementAttributes)) continue;
      fields.append(elementAttributes.name, elementAttributes.value ?? '');
    }
    for (const [, attribute = '', options = ''] of inside.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
      const selectedOptions = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, optionAttributes = '']) =>
        attributesOf(optionAttributes),
      );
      const value = (selectedOptions.find((option) => 'selected' in option) ?? selectedOptions[0])?.value ?? '';
      fields.append(attributesOf(attribute).name ?? '', value);
    }
    for (const [, attribute = '', text = ''] of inside.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gs)) {
      fields.append(attributesOf(attribute).name ?? '', unescapeHtml(text));
    }
    const { method = 'get', action = '' } = attributesOf(attributes);
    return { method, action, fields };
  });
}

function attributesOf(text: string): Record<string, string> {
  const attributes = [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)];
  return Object.fromEntries(attributes.map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
}

export function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!);
}

/** Returns path and query of an address. */
export function pathOf(address: string | undefined): string {
  const { pathname, search } = new URL(address!, 'http://base');
  return pathname + search;
}

/** Returns the text of the element with this id, which must contain no other element. */
export function textOf(html: string, id: string): string {
  const content = new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1];
  if (content === undefined) throw new Error(`nothing has the id ${id}`);
  return unescapeHtml(content);
}
