import * as assert from 'uvu/assert';
import { Clients } from '../../../src/identity/oauth/clients.ts';
import { redirectKind } from '../../../src/identity/oauth/redirects.ts';
import { storedModelId } from '../../../src/identity/oauth/stored-model.ts';
import { hashToken } from '../../../src/identity/tokens/token.ts';
import { open } from '../../support/identity/identity.ts';
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
  assert.match(String(json.client_id), /^cli_[\w-]+\.[\w-]{22}$/);
  assert.is(json.client_name, 'AB client');
  assert.is(json.application_type, 'native');
  assert.is(json.token_endpoint_auth_method, 'none');
  assert.equal(json.grant_types, ['authorization_code', 'refresh_token']);
  assert.equal(json.response_types, ['code']);
  for (const field of ['client_secret', 'scope', 'client_uri', 'logo_uri', 'jwks_uri', 'registration_access_token']) {
    assert.not(field in json, field);
  }
  assert.is(answer.headers.get('access-control-allow-origin'), '*');
  assert.ok(String(json.client_id).length < 200, `${String(json.client_id).length} characters`);
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
  [
    'ten long redirects',
    { redirect_uris: Array.from({ length: 10 }, (_, index) => `https://a.example/${index}${'x'.repeat(200)}`) },
    'invalid_client_metadata',
  ],
] as const) {
  test(`refuses a registration with ${what}`, async () => {
    const service = await start();
    const answer = await register(service, metadata);
    assert.equal([answer.status, answer.json.error], [400, error]);
  });
}

test('a client has no name if it gives itself a word of the service', async () => {
  const service = await start();
  // The last one is shown without its end.
  for (const client_name of ['veritrail', 'Verltrail', 'Admin', '\u200b', `veritrail${'\u3164'.repeat(80)}x`]) {
    const { json } = await register(service, { ...REGISTRATION, client_name });
    assert.not('client_name' in json, client_name);
  }
});

test('a registration whose name becomes eighteen times as long costs little', async () => {
  const service = await start();
  const from = process.cpuUsage();
  const { status } = await register(service, { ...REGISTRATION, client_name: '\ufdfa'.repeat(18_000) });
  assert.is(status, 201);
  const { user } = process.cpuUsage(from);
  assert.ok(user < 1_000_000, `${user} µs of CPU; it was 2,700,000`);
});

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

test('a flood of registrations at a member’s address stores nothing, and shuts out nobody', async () => {
  const service = await start();
  const metadata = { client_name: 'Flood', redirect_uris: ['https://flood.example/'] };
  const early = await newClient(service);
  const ids = new Set<unknown>();
  for (let i = 0; i < 700; i++) ids.add((await register(service, metadata)).json.client_id);
  assert.is(ids.size, 700);
  assert.equal(await service.identity.accounts.find('oauth', 'kind', 'Client'), []);
  const browser = new TestBrowser(service, service.owner);
  const { details } = await browser.consent(authorizeUrl(service, early, pkce().challenge));
  assert.is(details.client.id, early);
  await connectClient(service);
});

const REGISTRATION = { client_name: 'Ada’s', redirect_uris: ['https://a.example/', 'http://127.0.0.1/callback'] };

test('a registration is read from its id, but from no id that was changed or comes from elsewhere', async () => {
  const { accounts, clock } = await open();
  const clients = new Clients(accounts, Buffer.alloc(32, 1), clock.now);
  const id = clients.newId({ ...REGISTRATION, client_id: 'chosen-by-me' });
  const found = (await clients.find(id))!;
  assert.equal([found.client_id, found.client_name, found.redirect_uris], [id, 'Ada’s', REGISTRATION.redirect_uris]);
  const [text, signature] = id.slice('cli_'.length).split('.') as [string, string];
  const other = Buffer.from(text, 'base64url').toString().replace('a.example', 'b.example');
  const changed = [
    `cli_${Buffer.from(other).toString('base64url')}.${signature}`,
    `cli_${text}.${'A'.repeat(22)}`,
    `cli_${text}.${signature.slice(0, 20)}`,
    `cli_${text}.`,
    `cli_${text}`,
    `cli_.${signature}`,
    new Clients(accounts, Buffer.alloc(32, 2), clock.now).newId(REGISTRATION),
    `${id}${'A'.repeat(2_000)}`,
  ];
  for (const wrong of changed) assert.is(await clients.find(wrong), undefined, wrong.slice(0, 80));
});

test('clients that earlier versions stored go on, until 90 days after their last grant', async () => {
  const { accounts, clock } = await open();
  const clients = new Clients(accounts, Buffer.alloc(32, 1), clock.now);
  const end = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();
  const isFound = async (id: string) => (await clients.find(id)) !== undefined;
  const idle = 'cli_00000000000000000000000001';
  const connected = 'cli_00000000000000000000000002';
  for (const client_id of [idle, connected]) {
    const id = storedModelId('Client', hashToken(client_id));
    const payload = JSON.stringify({ client_id, ...REGISTRATION });
    await accounts.put('oauth', { id, kind: 'Client', used_at: null, expires_at: end(90), payload });
  }
  assert.is((await clients.find(idle))!.client_name, 'Ada’s');
  await clients.recordGrant(connected, end(90));
  await clients.recordGrant(connected, end(10));
  clock.waitDays(91);
  assert.equal([await isFound(idle), await isFound(connected)], [false, true]);
  clock.waitDays(90);
  assert.not(await isFound(connected));
});

test.run();
