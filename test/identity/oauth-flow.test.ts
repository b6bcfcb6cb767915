import { auth, discoverOAuthServerInfo, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeAll, rejection } from '../support/identity.ts';
import { MemoryProvider } from '../support/oauth-client.ts';
import { type Admitted, type OAuthService, startOAuth, TestBrowser } from '../support/oauth-service.ts';

const flow = suite('OAuth: the flow of stock clients');
const services: OAuthService[] = [];
const start = async (...options: Parameters<typeof startOAuth>) => {
  const service = await startOAuth(...options);
  services.push(service);
  return service;
};
flow.after.each(async () => {
  for (const service of services.splice(0)) {
    await service.stop();
    assert.equal(service.faults, []);
  }
  await closeAll();
});

const REDIRECT = 'http://127.0.0.1:33418/callback';

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
  const refused = await rejection(auth(provider, { serverUrl: service.resource }));
  assert.instance(refused, InvalidGrantError);
  assert.equal(await service.oauth.assistantsOf(service.owner), []);
});

flow.run();
