import * as assert from 'uvu/assert';
import { FetchRefused, metadataFetch } from '../../../src/identity/oauth/metadata-fetch.ts';
import { isPublicAddress } from '../../../src/identity/oauth/public-address.ts';
import { rejectionError } from '../../support/identity/identity.ts';
import {
  closeOutsideWorlds,
  PUBLIC,
  startOutsideWorld as startFakeInternet,
} from '../../support/identity/oauth-outside.ts';
import { authorizeUrl, exchange, pkce, REDIRECT, statusWithToken } from '../../support/identity/oauth-raw.ts';
import { TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('client metadata documents');
test.after.each(closeOutsideWorlds);

for (const [address, isPublic] of [
  [PUBLIC, true],
  ['2606:2800:220:1::1', true],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['127.255.255.254', false],
  ['169.254.169.254', false],
  ['172.16.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['192.0.0.1', false],
  ['192.0.2.1', false],
  ['192.168.1.1', false],
  ['198.18.0.1', false],
  ['198.51.100.1', false],
  ['203.0.113.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  [`::ffff:${PUBLIC}`, false],
  ['::127.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b:1::1', false],
  ['100::1', false],
  ['2001::1', false],
  ['2001:db8::1', false],
  ['2002:7f00:1::', false],
  ['3fff::1', false],
  ['fc00::1', false],
  ['fd12:3456::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['localhost', false],
  ['127.1', false],
  ['', false],
] as const) {
  test(`${address || 'nothing'} is ${isPublic ? '' : 'not '}public`, () => {
    assert.is(isPublicAddress(address), isPublic);
  });
}

const CLIENT = 'https://assistant.example/client.json';

for (const [what, url, published] of [
  ['plain http', 'http://assistant.example/', {}],
  ['another port', 'https://assistant.example:8443/', {}],
  ['a user name', 'https://me@assistant.example/', {}],
  ['loopback as an IPv4 number', 'https://127.0.0.1/', {}],
  ['loopback as a hexadecimal number', 'https://0x7f000001/', {}],
  ['loopback in IPv6', 'https://[::1]/', {}],
  ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/', {}],
  ['a cloud’s metadata address', 'https://169.254.169.254/latest', {}],
  ['a host name that resolves to loopback', CLIENT, { addresses: [['127.0.0.1']] }],
  ['a host name that resolves to a private address', CLIENT, { addresses: [['192.168.0.10']] }],
  ['a host name that resolves to a public and a private address', CLIENT, { addresses: [[PUBLIC, '10.0.0.1']] }],
  ['a host name that doesn’t resolve', CLIENT, { addresses: [[]] }],
] as const) {
  test(`${what} is never contacted`, async () => {
    const { outside, connected } = await startFakeInternet({ body: '{}', ...published });
    assert.instance(await rejectionError(metadataFetch(outside)(url)), FetchRefused);
    assert.equal(connected, []);
  });
}

test('connects to the address that was checked, even if the name resolves to another one later', async () => {
  const { outside, connected } = await startFakeInternet({ body: '{}', addresses: [[PUBLIC], ['127.0.0.1']] });
  assert.is((await metadataFetch(outside)(CLIENT)).status, 200);
  assert.equal(connected, [PUBLIC]);
});

for (const [what, published] of [
  ['a redirect', { status: 302, headers: { Location: 'https://127.0.0.1/' }, body: '' }],
  ['an error', { status: 500, body: '{}' }],
  ['a page', { headers: { 'Content-Type': 'text/html' }, body: '{}' }],
  ['no type', { headers: {}, body: '{}' }],
  ['an encoded body', { headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, body: '{}' }],
  ['a body without end', { body: `"${'x'.repeat(100_000)}"` }],
] as const) {
  test(`${what} is not a valid document`, async () => {
    const { outside } = await startFakeInternet(published);
    assert.instance(await rejectionError(metadataFetch(outside)(CLIENT)), FetchRefused);
  });
}

for (const [what, published] of [
  ['does not answer', {}],
  ['never ends its response', { status: 200, headers: { 'Content-Type': 'application/json' }, begins: '{' }],
] as const) {
  test(`a server that ${what} times out`, async () => {
    const { outside } = await startFakeInternet(published);
    const refusal = await rejectionError(metadataFetch(outside, 50)(CLIENT));
    assert.match(refusal.message, 'in time');
  });
}

const document = (overrides: object = {}) =>
  JSON.stringify({ client_id: CLIENT, client_name: 'Published', redirect_uris: [REDIRECT], ...overrides });

test('a client with a document needs no registration, and is shown with its host', async () => {
  const { outside } = await startFakeInternet({ body: document() });
  const service = await start({ network: outside });
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(service, service.owner);
  const { page, details } = await browser.consent(authorizeUrl(service, CLIENT, challenge));
  assert.equal(details.client, { id: CLIENT, name: 'Published', uri: null, publishedBy: 'assistant.example' });
  const choice = { organizations: [service.organizationId], role: 'EDITOR', read_only: false } as const;
  const callback = await browser.answer(page, choice);
  const answer = await exchange(service, CLIENT, callback.searchParams.get('code')!, verifier);
  assert.is(answer.status, 200);
  assert.is(await statusWithToken(service, String(answer.json.access_token)), 200);
});

for (const [what, published] of [
  ['with the client_id of another client', { body: document({ client_id: 'https://other.example/client.json' }) }],
  ['with a secret', { body: document({ client_secret: 'x' }) }],
  ['with a redirect to plain http', { body: document({ redirect_uris: ['http://assistant.example/'] }) }],
  ['without a redirect URI', { body: document({ redirect_uris: [] }) }],
  ['that is not an object', { body: '[]' }],
  ['that is larger than 5 KiB', { body: document({ padding: 'x'.repeat(5 * 1024) }) }],
  ['at a private address', { body: document(), addresses: [['10.0.0.1']] }],
] as const) {
  test(`refuses a document ${what} before consent`, async () => {
    const { outside } = await startFakeInternet(published);
    const service = await start({ network: outside });
    const browser = new TestBrowser(service, service.owner);
    const refusal = await browser.request(authorizeUrl(service, CLIENT, pkce().challenge));
    assert.is(refusal.status, 400);
    assert.is(refusal.headers.get('location'), null);
  });
}

test('limits document fetches per minute', async () => {
  const { outside, connected } = await startFakeInternet({ body: '{}' });
  const service = await start({ network: outside });
  const browser = new TestBrowser(service, service.owner);
  const openAuthorizePage = (i: number) =>
    browser.request(authorizeUrl(service, `https://c${i}.example/client`, pkce().challenge));
  for (let i = 0; i < 15; i++) await openAuthorizePage(i);
  assert.is(connected.length, 10);
  service.identity.clock.wait(60_000);
  await openAuthorizePage(99);
  assert.ok(connected.length > 10);
});

test.run();
