/** The pages and the OAuth server together, for what a person sees on the way to connecting an assistant. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { oauthEndpoints } from '../../../src/http/access/oauth-endpoints.ts';
import { Cookies } from '../../../src/http/cookies.ts';
import { type RequestState, requestMiddleware } from '../../../src/http/request.ts';
import { type AccessLogEntry, entryOf } from '../../../src/identity/access-log/access-log-entry.ts';
import type { OutboundNetwork } from '../../../src/identity/oauth/metadata-fetch.ts';
import { createOAuth, type OAuth } from '../../../src/identity/oauth/oauth.ts';
import { createPages } from '../../../src/web/server/create-pages.ts';
import { pathOf, startWeb, TestBrowser, type WebChanges, type WebTest } from '../web/web.ts';
import { authorizeUrl, newClient, pkce, type Target } from './oauth-raw.ts';

/** The pages and the OAuth server in one app, as the service has them. */
export interface OAuthPages {
  web: WebTest;
  oauth: OAuth;
  /** The target of the messages of oauth-raw.ts. */
  target: Target;
  /** Entries for the access log. */
  noted: AccessLogEntry[];
  /** A browser that is signed in as the owner, and one that is not. */
  signedIn(): Promise<TestBrowser>;
  stranger(): TestBrowser;
  stop(): Promise<void>;
}

export async function startOAuthPages(network?: OutboundNetwork, changes?: WebChanges): Promise<OAuthPages> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const web = await startWeb(url, changes);
  const { members, tokens, people, identity } = web;
  const cookies = new Cookies(url);
  const oauth = await createOAuth({
    accounts: identity.accounts,
    tokens,
    members,
    baseUrl: url,
    now: identity.now,
    signedIn: async (request) =>
      (await people.sessions.find(cookies.session(request) ?? undefined))?.account_id ?? null,
    ...(network === undefined ? { metadataFetch: 'off' } : { metadataFetch: 'on', network }),
    log: web.logger,
    addressOf: () => '203.0.113.7',
    report: (error) => {
      throw error;
    },
  });
  const accessEntries: AccessLogEntry[] = [];
  const app = new Koa<RequestState>();
  app
    .use(requestMiddleware(web.logger))
    .use(oauthEndpoints(oauth, web.limits))
    .use(createPages({ ...web, oauth, onAssistantEvent: (event) => accessEntries.push(entryOf(event)) }));
  server.on('request', app.callback());
  const stranger = () => new TestBrowser(url, new URL(url).host, url);
  return {
    web,
    oauth,
    stranger,
    noted: accessEntries,
    target: { url, resource: `${url}/api/mcp/v1` },
    signedIn: async () => {
      const browser = stranger();
      for (const [name, value] of (await web.setUpOwner()).cookies) browser.cookies.set(name, value);
      return browser;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await web.stop();
    },
  };
}

/** Opens a client's authorization request, up to the consent page. */
export async function askOnPages(site: OAuthPages, browser: TestBrowser, fields: Record<string, string> = {}) {
  const client = await newClient(site.target, { client_name: 'Helper <b>of</b> Ada' });
  const { verifier, challenge } = pkce();
  const redirect = await browser.get(pathOf(authorizeUrl(site.target, client, challenge, fields)));
  const response = await browser.get(pathOf(redirect.to));
  return { client, verifier, response, path: pathOf(redirect.to) };
}
