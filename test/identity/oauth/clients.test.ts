import * as assert from 'uvu/assert';
import { Clients } from '../../../src/identity/oauth/clients.ts';
import { redirectKind } from '../../../src/identity/oauth/redirects.ts';
import { open, rejectionError, sweepExpired } from '../../support/identity/identity.ts';
import { authorizeUrl, connectClient, newClient, pkce, register } from '../../support/identity/oauth-raw.ts';
import { TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('clients that register themselves');

const DAY_MS = 86_400_000;

for (const [uri, kind] of [
  ['https://assistant.example/callback?x=1', 'WEB'],
  ['https://assistant.example:8443/callback', 'WEB'],
  ['http://127.0.0.1/callback', 'LOOPBACK'],
  ['http://127.0.0.1:6274/oauth/callback', 'LOOPBACK'],
  ['http://localhost:3334/oauth/callback', 'LOOPBACK'],
  ['http://[::1]:1/', 'LOOPBACK'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'PRIVATE_USE'],
  ['vscode://publisher.extension/did-authenticate', 'PRIVATE_USE'],
  ['jetbrains://idea/oauth/callback', 'PRIVATE_USE'],
  ['com.example.app:/callback', 'PRIVATE_USE'],
  ['com.example.app://callback', 'PRIVATE_USE'],
  ['com.googleusercontent.apps.123-abc:/oauth2redirect', 'PRIVATE_USE'],
  ['com.1example.app:/callback', 'PRIVATE_USE'],
  ['http://assistant.example/callback', null],
  ['http://127.0.0.1.evil.example/', null],
  ['http://127.1/', null],
  ['http://2130706433/', null],
  ['http://localhost.evil.example/', null],
  ['http://user@localhost/', null],
  ['http://@localhost/', null],
  ['https://user:secret@assistant.example/', null],
  ['https://assistant.example@evil.example/', null],
  ['https://assistant.example/#', null],
  ['https://assistant.example/#code', null],
  ['https://*.assistant.example/', null],
  ['https://assistant.example\\@evil.example/', null],
  ['https:\\\\evil.example/', null],
  ['https:evil.example', null],
  ['https:///evil.example/', null],
  ['https://assistant.example/a b', null],
  ['https://assistant.example/\n', null],
  [' https://assistant.example/', null],
  ['https://localhost/callback', null],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['JavaScript:alert(1)', null],
  ['vbscript:x', null],
  ['blob:https://assistant.example/1', null],
  ['about:blank', null],
  ['ftp://assistant.example/', null],
  ['ws://assistant.example/', null],
  ['wss://assistant.example/', null],
  ['mailto:ada@example.org', null],
  ['intent://callback#Intent;end', null],
  ['view-source:https://assistant.example/', null],
  ['ms-msdt:/id', null],
  ['urn:ietf:wg:oauth:2.0:oob', null],
  ['unknown-editor://callback', null],
  ['com.example.app:/callback#code', null],
  ['com.example.app://ada@callback/', null],
  ['com..app:/callback', null],
  ['.example.app:/callback', null],
  ['com.example.:/callback', null],
  ['//evil.example/', null],
  ['/callback', null],
  ['', null],
  [`https://assistant.example/${'x'.repeat(2_000)}`, null],
] as const) {
  test(`a redirect to ${JSON.stringify(uri).slice(0, 60)} is ${kind ?? 'refused'}`, () => {
    assert.is(redirectKind(uri), kind);
  });
}

test('ignores superfluous metadata of stock clients, and returns the effective values', async () => {
  const service = await start();
  const answer = await register(service, {
    client_name: '  A\u202eB \u0007 client\n',
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code', 'token'],
    scope: 'compliance:read something:else',
    client_uri: 'not an address',
    logo_uri: 'javascript:alert(1)',
    contacts: ['nobody'],
    jwks_uri: 'http://169.254.169.254/keys',
    sector_identifier_uri: 'https://127.0.0.1/sector',
    software_id: 'software',
    software_version: '1.2',
    client_id: 'chosen-by-me',
    client_secret: 'chosen-by-me',
    __proto__: { polluted: true },
  });
  assert.is(answer.status, 201);
  const { json } = answer;
  assert.match(String(json.client_id), /^cli_[0-9A-Z]{26}$/);
  assert.is(json.client_name, 'AB client');
  assert.is(json.application_type, 'native');
  assert.is(json.token_endpoint_auth_method, 'none');
  assert.equal(json.grant_types, ['authorization_code', 'refresh_token']);
  assert.equal(json.response_types, ['code']);
  for (const field of ['client_secret', 'scope', 'client_uri', 'logo_uri', 'jwks_uri', 'registration_access_token']) {
    assert.not(field in json, field);
  }
  assert.is(answer.headers.get('access-control-allow-origin'), '*');
});

for (const [what, metadata, error] of [
  ['no redirect', {}, 'invalid_redirect_uri'],
  ['an empty list of redirects', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['a text as redirects', { redirect_uris: 'https://a.example/' }, 'invalid_redirect_uri'],
  ['a number among the redirects', { redirect_uris: [1] }, 'invalid_redirect_uri'],
  [
    'an invalid redirect among others',
    { redirect_uris: ['https://a.example/', 'http://a.example/'] },
    'invalid_redirect_uri',
  ],
  ['eleven redirects', { redirect_uris: Array(11).fill('https://a.example/') }, 'invalid_redirect_uri'],
  ['a list as metadata', [], 'invalid_request'],
] as const) {
  test(`refuses a registration with ${what}`, async () => {
    const service = await start();
    const answer = await register(service, metadata);
    assert.equal([answer.status, answer.json.error], [400, error]);
  });
}

test('a loopback client may use any port, another client only its own', async () => {
  const service = await start();
  const browser = new TestBrowser(service, service.owner);
  const status = async (client: string, redirect_uri: string) =>
    (await browser.request(authorizeUrl(service, client, pkce().challenge, { redirect_uri }))).status;
  const local = await newClient(service, { redirect_uris: ['http://127.0.0.1:1000/callback'] });
  assert.is(await status(local, 'http://127.0.0.1:2000/callback'), 303);
  const web = await newClient(service, { redirect_uris: ['https://a.example:1000/callback'] });
  assert.is(await status(web, 'https://a.example:2000/callback'), 400);
});

for (const [redirect_uri, host] of [
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor'],
  ['jetbrains://idea/oauth/callback', 'jetbrains'],
  ['com.example.app:/oauth/callback', 'com.example.app'],
] as const) {
  test(`redirects to a program’s own scheme, ${host}`, async () => {
    const service = await start();
    const client = await newClient(service, { redirect_uris: [redirect_uri, 'http://localhost/callback'] });
    const browser = new TestBrowser(service, service.owner);
    const url = authorizeUrl(service, client, pkce().challenge, { redirect_uri });
    const { page, details } = await browser.consent(url);
    assert.equal(details.redirect, { uri: redirect_uri, host, kind: 'PRIVATE_USE' });
    const callback = await browser.answer(page, {
      organizations: [service.organizationId],
      role: 'VIEWER',
      read_only: true,
    });
    assert.ok(callback.href.startsWith(`${redirect_uri}?code=`));
  });
}

test('a registered client cannot be read, changed or removed', async () => {
  const service = await start();
  const client = await newClient(service);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.is((await fetch(`${service.url}/oauth/register/${client}`, { method })).status, 401, method);
  }
});

test('answers a flood of registrations with 429, first for its own network', async () => {
  const service = await start();
  const registerMany = async (times: number) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await register(service, {})).status);
    return statuses.filter((status) => status === 429).length;
  };
  assert.is(await registerMany(121), 1);
  const refusal = await register(service, {});
  assert.equal([refusal.status, refusal.json.error], [429, 'temporarily_unavailable']);
  assert.ok(Number(refusal.headers.get('retry-after')) > 0);
  service.clientInfo.address = '2001:db8::1';
  assert.is(await registerMany(100), 0);
  service.clientInfo.address = '2001:db8::2';
  assert.is(await registerMany(21), 1, 'one network');
  for (let network = 1; network <= 3; network++) {
    service.clientInfo.address = `198.51.100.${network}`;
    await registerMany(120);
  }
  service.clientInfo.address = '192.0.2.99';
  assert.is((await register(service, {})).status, 429, 'all networks together');
  service.identity.clock.wait(3_600_000);
  assert.is((await register(service, {})).status, 400);
});

test('at the limit, removes the oldest client without a connection, and never one in use', async () => {
  const { accounts, clock } = await open();
  const clients = new Clients(accounts, clock.now, 3);
  const end = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();
  const add = async (id: string) => {
    clock.wait(1_000);
    await clients.upsert(id, { client_id: id });
  };
  const remaining = async (...ids: string[]) => {
    const clientsById = await Promise.all(ids.map((id) => clients.find(id)));
    return ids.filter((_, i) => clientsById[i] !== undefined);
  };
  for (const id of ['a', 'b', 'c']) await add(id);
  await clients.recordGrant('a', end(90));
  await add('d');
  assert.equal(await remaining('a', 'b', 'c', 'd'), ['a', 'c', 'd']);
  await clients.recordGrant('c', end(1));
  await clients.recordGrant('d', end(30));
  const error = await rejectionError(add('e'));
  assert.is((error as Error & { error: string }).error, 'temporarily_unavailable');
  clock.waitDays(2);
  await add('f');
  assert.equal(await remaining('a', 'c', 'd', 'f'), ['a', 'd', 'f'], 'its last grant has ended');
});

test('a client expires after 90 days, a connected one 90 days after its grant', async () => {
  const service = await start();
  const { clock } = service.identity;
  const idle = await newClient(service);
  const { client } = await connectClient(service);
  const isRegistered = async (id: string) =>
    (await new TestBrowser(service, null).request(authorizeUrl(service, id, pkce().challenge))).status === 303;
  clock.waitDays(89);
  assert.equal([await isRegistered(idle), await isRegistered(client)], [true, true]);
  clock.waitDays(2);
  assert.equal([await isRegistered(idle), await isRegistered(client)], [false, true]);
  clock.waitDays(88);
  assert.ok(await isRegistered(client));
  clock.waitDays(2);
  assert.not(await isRegistered(client));
  const newest = await newClient(service);
  await sweepExpired(service.identity);
  assert.ok(await isRegistered(newest));
  assert.is((await service.identity.accounts.find('oauth', 'kind', 'Client')).length, 1);
});

test.run();
