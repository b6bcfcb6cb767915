import { auth, discoverOAuthServerInfo, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import * as assert from 'uvu/assert';
import { MemoryProvider } from '../../support/identity/oauth-client.ts';
import {
  authorizeAsOwner,
  authorizeUrl,
  connectClient,
  exchange,
  newClient,
  pkce,
  REDIRECT,
  refresh,
} from '../../support/identity/oauth-raw.ts';
import { type AdmittedCaller, type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test: flow, start } = oauthSuite('stock clients');

async function connect(service: OAuthService, scope?: string) {
  const provider = new MemoryProvider(REDIRECT, scope);
  assert.is(await auth(provider, { serverUrl: service.resource }), 'REDIRECT');
  return provider;
}

async function call(service: OAuthService, token: string): Promise<Response> {
  return fetch(service.resource, { headers: { Authorization: `Bearer ${token}` } });
}

flow('finds the authorization server from the base address', async () => {
  const service = await start();
  const refused = await fetch(service.resource);
  assert.is(refused.status, 401);
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
  assert.is(String(resourceMetadataUrl), `${service.url}/.well-known/oauth-protected-resource/api/mcp/v1`);
  assert.is(scope, 'compliance:read compliance:write');
  const serverInfo = await discoverOAuthServerInfo(service.resource, { resourceMetadataUrl: resourceMetadataUrl! });
  assert.is(serverInfo.authorizationServerUrl, service.url);
  assert.is(serverInfo.resourceMetadata?.resource, service.resource);
  const metadata = serverInfo.authorizationServerMetadata!;
  assert.is(metadata.issuer, service.url);
  assert.equal(metadata.code_challenge_methods_supported, ['S256']);
  const root = await fetch(`${service.url}/.well-known/oauth-protected-resource`);
  assert.equal(await root.json(), serverInfo.resourceMetadata);
  assert.is(root.headers.get('access-control-allow-origin'), '*');
});

flow('the SDK registers, gets consent, exchanges its code, calls and refreshes', async () => {
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
  const callback = await browser.answer(page, {
    organizations: [service.organizationId],
    role: 'ADMIN',
    read_only: false,
  });
  assert.is(callback.origin + callback.pathname, REDIRECT);
  assert.is(callback.searchParams.get('state'), provider.state());
  assert.is(callback.searchParams.get('iss'), service.url);
  const code = callback.searchParams.get('code')!;
  assert.is(await auth(provider, { serverUrl: service.resource, authorizationCode: code }), 'AUTHORIZED');
  const first = provider.held.tokens!;
  assert.match(first.access_token, /^vto_[0-9A-Za-z]{49}$/);
  assert.match(first.refresh_token!, /^vtf_[0-9A-Za-z]{49}$/);
  assert.is(first.scope, 'compliance:read compliance:write');
  const admitted = (await (await call(service, first.access_token)).json()) as AdmittedCaller;
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
  const reusedToken = await refresh(service, details.client.id, second.refresh_token!);
  assert.is(reusedToken.json.error, 'invalid_grant');
  assert.equal(await service.oauth.assistantsOf(service.owner), []);
});

for (const [ending, scope] of [
  ['/', 'compliance:read compliance:write'],
  ['/readonly', 'compliance:read'],
  ['/readonly/', 'compliance:read'],
] as const) {
  flow(`the SDK connects at the endpoint with ${ending}, for exactly that resource`, async () => {
    const service = await start();
    const serverUrl = service.resource + ending;
    const provider = new MemoryProvider(REDIRECT);
    const resourceMetadataUrl = extractWWWAuthenticateParams(await fetch(serverUrl)).resourceMetadataUrl!;
    const target = { serverUrl, resourceMetadataUrl };
    assert.is(await auth(provider, target), 'REDIRECT');
    assert.equal(provider.sentTo!.searchParams.getAll('resource'), [serverUrl]);
    const callback = await new TestBrowser(service, service.owner).allow(provider.sentTo!.href);
    const authorizationCode = callback.searchParams.get('code')!;
    assert.is(await auth(provider, { ...target, authorizationCode }), 'AUTHORIZED');
    assert.is(await auth(provider, target), 'AUTHORIZED', 'refreshed');
    assert.is(provider.held.tokens!.scope, scope);
    assert.is((await call(service, provider.held.tokens!.access_token)).status, 200);
  });
}

const isAdmitted = async (service: OAuthService, token: string) =>
  (await (await call(service, token)).json()) as AdmittedCaller;

flow('a request without a scope asks for both, and gets what the person grants', async () => {
  const service = await start();
  const client = await newClient(service);
  const both = await connectClient(service, { scope: undefined, resource: undefined });
  assert.is(both.tokens.scope, 'compliance:read compliance:write');
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(service, service.owner);
  const callback = await browser.allow(authorizeUrl(service, client, challenge), { read_only: true, role: 'OWNER' });
  const { json } = await exchange(service, client, callback.searchParams.get('code')!, verifier);
  assert.is(json.scope, 'compliance:read');
  const caller = await isAdmitted(service, String(json.access_token));
  assert.ok(caller.read_only);
  assert.equal(caller.scopes, ['compliance:read']);
});

flow('a request to read does not permit writing, and a later request can ask for more', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service, { scope: 'compliance:read' });
  assert.is(tokens.scope, 'compliance:read');
  assert.ok((await isAdmitted(service, tokens.access_token)).read_only);
  const { code, verifier } = await authorizeAsOwner(service, client, { scope: 'compliance:read compliance:write' });
  const secondExchange = await exchange(service, client, code, verifier);
  assert.is(secondExchange.json.scope, 'compliance:read compliance:write');
  assert.not((await isAdmitted(service, String(secondExchange.json.access_token))).read_only);
});

for (const spelling of ['/api/mcp/v1', '/api/mcp/v1/', '', '/', '/api/mcp/tools']) {
  flow(`the resource may be named ${spelling || 'by the bare address'}, in each request another way`, async () => {
    const service = await start();
    const client = await newClient(service);
    for (const [response, exchanged] of [
      [service.url + spelling, service.url + spelling],
      [service.url + spelling, service.resource],
      [undefined, service.url + spelling],
      [service.url + spelling, undefined],
    ]) {
      const { code, verifier } = await authorizeAsOwner(service, client, { resource: response });
      const { status, json } = await exchange(service, client, code, verifier, { resource: exchanged });
      assert.is(status, 200);
      assert.is((await call(service, String(json.access_token))).status, 200);
    }
  });
}

for (const spelling of ['/api/mcp/v1/readonly', '/api/mcp/v1/readonly/']) {
  flow(`a token asked for ${spelling} reads only, at all addresses, and stays so when refreshed`, async () => {
    const service = await start();
    const client = await newClient(service);
    const resource = service.url + spelling;
    for (const scope of [undefined, 'compliance:read compliance:write', 'compliance:write']) {
      const { code, verifier } = await authorizeAsOwner(service, client, { resource, scope });
      const first = (await exchange(service, client, code, verifier, { resource: undefined })).json;
      const second = (await refresh(service, client, String(first.refresh_token), { resource: service.resource })).json;
      for (const { scope, access_token } of [first, second]) {
        assert.is(scope, 'compliance:read');
        assert.ok((await isAdmitted(service, String(access_token))).read_only);
      }
    }
  });
}

flow('a connection that may write can get a token that reads only, and one that writes again', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  let { refresh_token } = tokens;
  for (const [path, scope] of [
    ['/readonly', 'compliance:read'],
    ['', 'compliance:read compliance:write'],
  ] as const) {
    const { json } = await refresh(service, client, refresh_token, { resource: service.resource + path });
    assert.is(json.scope, scope);
    assert.is((await isAdmitted(service, String(json.access_token))).read_only, path !== '');
    refresh_token = String(json.refresh_token);
  }
});

flow('a loopback client may use another name of this machine', async () => {
  const service = await start();
  const local = service.resource.replace('127.0.0.1', 'localhost');
  const serverInfo = await discoverOAuthServerInfo(local);
  assert.is(serverInfo.resourceMetadata?.resource, local);
  assert.is(serverInfo.authorizationServerUrl, service.url);
  const { tokens } = await connectClient(service, { resource: local });
  assert.is((await call(service, tokens.access_token)).status, 200);
});

flow('web pages may call the endpoints of programs, without cookies', async () => {
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
    const refusal = await fetch(service.url + path, { method: 'DELETE', headers: { Origin } });
    assert.is(refusal.status, 405, path);
  }
  const response = await fetch(`${service.url}/oauth/authorize`, { headers: { Origin } });
  assert.is(response.headers.get('access-control-allow-origin'), null);
});

flow('behind a proxy every address begins with the base address, for any Host', async () => {
  const service = await start({ baseUrl: 'https://veritrail.example' });
  const client = await newClient(service);
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const choice = { organizations: [service.organizationId], role: 'EDITOR', read_only: false } as const;
  const response = await browser.request(`${page}?answer=${encodeURIComponent(JSON.stringify(choice))}`, 'POST');
  assert.match(response.headers.get('location')!, /^https:\/\/veritrail\.example\/oauth\/authorize\//);
});

flow.run();
