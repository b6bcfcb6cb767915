import { auth, discoverOAuthServerInfo, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import * as assert from 'uvu/assert';
import { MemoryProvider } from '../support/oauth-client.ts';
import {
  allowedCode,
  authorizeUrl,
  connected,
  exchange,
  newClient,
  pkce,
  REDIRECT,
  refresh,
} from '../support/oauth-raw.ts';
import { type Admitted, type OAuthService, TestBrowser } from '../support/oauth-service.ts';
import { oauthSuite } from '../support/oauth-suite.ts';

const { test: flow, start } = oauthSuite('the flow of stock clients');

async function connect(service: OAuthService, scope?: string) {
  const provider = new MemoryProvider(REDIRECT, scope);
  assert.is(await auth(provider, { serverUrl: service.resource }), 'REDIRECT');
  return provider;
}

async function call(service: OAuthService, token: string): Promise<Response> {
  return fetch(service.resource, { headers: { Authorization: `Bearer ${token}` } });
}

flow('the bare address leads to its authorization server', async () => {
  const service = await start();
  const refused = await fetch(service.resource);
  assert.is(refused.status, 401);
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
  assert.is(String(resourceMetadataUrl), `${service.url}/.well-known/oauth-protected-resource/api/mcp/v1`);
  assert.is(scope, 'compliance:read compliance:write');
  const found = await discoverOAuthServerInfo(service.resource, { resourceMetadataUrl: resourceMetadataUrl! });
  assert.is(found.authorizationServerUrl, service.url);
  assert.is(found.resourceMetadata?.resource, service.resource);
  const metadata = found.authorizationServerMetadata!;
  assert.is(metadata.issuer, service.url);
  assert.equal(metadata.code_challenge_methods_supported, ['S256']);
  const root = await fetch(`${service.url}/.well-known/oauth-protected-resource`);
  assert.equal(await root.json(), found.resourceMetadata);
  assert.is(root.headers.get('access-control-allow-origin'), '*');
});

flow('the SDK registers, is allowed, exchanges its code, calls and refreshes', async () => {
  const service = await start();
  const provider = await connect(service);
  const browser = new TestBrowser(service, service.owner);
  const { page, details } = await browser.consent(provider.sentTo!.href);
  assert.equal(details.client, { id: details.client.id, name: 'Stock client', uri: null, publishedBy: null });
  assert.equal(details.redirect, { uri: REDIRECT, host: '127.0.0.1:33418', kind: 'LOOPBACK' });
  assert.ok(details.asksToWrite);
  assert.equal(
    details.organizations.map(({ id, role }) => [id, role]),
    [[service.organizationId, 'OWNER']],
  );
  const back = await browser.answer(page, { organizations: [service.organizationId], role: 'ADMIN', read_only: false });
  assert.is(back.origin + back.pathname, REDIRECT);
  assert.is(back.searchParams.get('state'), provider.state());
  assert.is(back.searchParams.get('iss'), service.url);
  const code = back.searchParams.get('code')!;
  assert.is(await auth(provider, { serverUrl: service.resource, authorizationCode: code }), 'AUTHORIZED');
  const first = provider.held.tokens!;
  assert.match(first.access_token, /^vto_[0-9A-Za-z]{49}$/);
  assert.match(first.refresh_token!, /^vtf_[0-9A-Za-z]{49}$/);
  assert.is(first.scope, 'compliance:read compliance:write');
  const admitted = (await (await call(service, first.access_token)).json()) as Admitted;
  assert.equal(admitted.roles, { [service.organizationId]: 'ADMIN' });
  assert.is(admitted.account_id, service.owner);
  assert.not(admitted.read_only);

  assert.is(await auth(provider, { serverUrl: service.resource }), 'AUTHORIZED');
  const second = provider.held.tokens!;
  assert.is.not(second.access_token, first.access_token);
  assert.is.not(second.refresh_token, first.refresh_token);
  assert.is((await call(service, second.access_token)).status, 200);
  const [assistant] = await service.oauth.assistantsOf(service.owner);
  assert.is(assistant!.id, admitted.token_id);
  assert.equal(assistant!.client, { id: details.client.id, name: 'Stock client' });

  await service.oauth.disconnect(assistant!.id, service.owner);
  assert.is((await call(service, second.access_token)).status, 401);
  const over = await refresh(service, details.client.id, second.refresh_token!);
  assert.is(over.json.error, 'invalid_grant');
  assert.equal(await service.oauth.assistantsOf(service.owner), []);
});

const admitted = async (service: OAuthService, token: string) =>
  (await (await call(service, token)).json()) as Admitted;

flow('who asks for no scope is asked about both, and gets no more than the person gives', async () => {
  const service = await start();
  const client = await newClient(service);
  const both = await connected(service, { scope: undefined, resource: undefined });
  assert.is(both.tokens.scope, 'compliance:read compliance:write');
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(service, service.owner);
  const back = await browser.allow(authorizeUrl(service, client, challenge), { read_only: true, role: 'OWNER' });
  const { json } = await exchange(service, client, back.searchParams.get('code')!, verifier);
  assert.is(json.scope, 'compliance:read');
  const caller = await admitted(service, String(json.access_token));
  assert.ok(caller.read_only);
  assert.equal(caller.scopes, ['compliance:read']);
});

flow('who asks to read is not let write, and may ask for more later', async () => {
  const service = await start();
  const { client, tokens } = await connected(service, { scope: 'compliance:read' });
  assert.is(tokens.scope, 'compliance:read');
  assert.ok((await admitted(service, tokens.access_token)).read_only);
  const { code, verifier } = await allowedCode(service, client, { scope: 'compliance:read compliance:write' });
  const more = await exchange(service, client, code, verifier);
  assert.is(more.json.scope, 'compliance:read compliance:write');
  assert.not((await admitted(service, String(more.json.access_token))).read_only);
});

for (const spelling of ['/api/mcp/v1', '/api/mcp/v1/', '', '/', '/api/mcp/tools']) {
  flow(`the resource may be named ${spelling || 'by the bare address'}, in each request another way`, async () => {
    const service = await start();
    const client = await newClient(service);
    for (const [asked, exchanged] of [
      [service.url + spelling, service.url + spelling],
      [service.url + spelling, service.resource],
      [undefined, service.url + spelling],
      [service.url + spelling, undefined],
    ]) {
      const { code, verifier } = await allowedCode(service, client, { resource: asked });
      const { status, json } = await exchange(service, client, code, verifier, { resource: exchanged });
      assert.is(status, 200);
      assert.is((await call(service, String(json.access_token))).status, 200);
    }
  });
}

flow('a client on this machine may call it by another of its names', async () => {
  const service = await start();
  const local = service.resource.replace('127.0.0.1', 'localhost');
  const found = await discoverOAuthServerInfo(local);
  assert.is(found.resourceMetadata?.resource, local);
  assert.is(found.authorizationServerUrl, service.url);
  const { tokens } = await connected(service, { resource: local });
  assert.is((await call(service, tokens.access_token)).status, 200);
});

flow('web pages may ask what programs may, without cookies, and nothing else', async () => {
  const service = await start();
  const Origin = 'https://inspector.example';
  for (const [path, method] of [
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/oauth-protected-resource/api/mcp/v1', 'GET'],
    ['/oauth/jwks', 'GET'],
    ['/oauth/token', 'POST'],
    ['/oauth/register', 'POST'],
    ['/oauth/revoke', 'POST'],
  ] as const) {
    const preflight = await fetch(service.url + path, { method: 'OPTIONS', headers: { Origin } });
    assert.is(preflight.status, 204);
    assert.is(preflight.headers.get('access-control-allow-methods'), method);
    const answer = await fetch(service.url + path, { method, headers: { Origin } });
    for (const { headers } of [preflight, answer]) {
      assert.is(headers.get('access-control-allow-origin'), '*', path);
      assert.is(headers.get('access-control-allow-credentials'), null);
      assert.is(headers.get('set-cookie'), null);
    }
    const wrong = await fetch(service.url + path, { method: 'DELETE', headers: { Origin } });
    assert.is(wrong.status, 405, path);
  }
  const asked = await fetch(`${service.url}/oauth/authorize`, { headers: { Origin } });
  assert.is(asked.headers.get('access-control-allow-origin'), null);
});

flow('behind a proxy every address begins with the base address, whatever Host was sent', async () => {
  const service = await start({ baseUrl: 'https://veritrail.example' });
  const client = await newClient(service);
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const choice = { organizations: [service.organizationId], role: 'EDITOR', read_only: false } as const;
  const sent = await browser.request(`${page}?answer=${encodeURIComponent(JSON.stringify(choice))}`, 'POST');
  assert.match(sent.headers.get('location')!, /^https:\/\/veritrail\.example\/oauth\/authorize\//);
});

flow.run();
