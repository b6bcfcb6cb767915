import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import * as assert from 'uvu/assert';
import type { AuthorizationError } from '../../../src/identity/oauth/authorization-error.ts';
import { MemoryProvider } from '../../support/identity/oauth-client.ts';
import { closeOutsideWorlds, type OutsideSite, startOutsideWorld } from '../../support/identity/oauth-outside.ts';
import { authorizeUrl, pkce, REDIRECT, statusWithToken } from '../../support/identity/oauth-raw.ts';
import { type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';
import { until } from '../../support/run/wait.ts';

const { test, start } = oauthSuite('fetching client documents');
test.after.each(closeOutsideWorlds);

const CLIENT = 'https://assistant.example/client.json';
const PROBED = ['https://claude.ai/oauth/claude-code-client-metadata', 'https://chatgpt.com/oauth/codex/client.json'];
const MINUTE_MS = 60_000;

const document = (url: string) =>
  JSON.stringify({ client_id: url, client_name: 'Published', redirect_uris: [REDIRECT] });
/** Documents for every address; deleting `body` makes them unavailable. */
const REACHABLE: OutsideSite = { body: document };

async function isAdvertised(service: OAuthService): Promise<boolean> {
  const metadata = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
  return ((await metadata.json()) as Record<string, boolean>).client_id_metadata_document_supported!;
}

/** A client like Claude Code and Codex: uses its document if the server advertises documents, else it registers. */
async function signIn(service: OAuthService): Promise<string> {
  const provider = new MemoryProvider(REDIRECT);
  provider.clientMetadataUrl = CLIENT;
  assert.is(await auth(provider, { serverUrl: service.resource }), 'REDIRECT');
  const callback = await new TestBrowser(service, service.owner).allow(provider.sentTo!.href);
  const authorizationCode = callback.searchParams.get('code')!;
  assert.is(await auth(provider, { serverUrl: service.resource, authorizationCode }), 'AUTHORIZED');
  assert.is(await statusWithToken(service, provider.tokens()!.access_token), 200);
  return provider.clientInformation()!.client_id;
}

async function refusalOf(service: OAuthService): Promise<AuthorizationError> {
  const response = await new TestBrowser(service, null).request(authorizeUrl(service, CLIENT, pkce().challenge));
  assert.is(response.headers.get('location'), null);
  return (await response.json()) as AuthorizationError;
}

test('off: the service fetches nothing, and clients with a document register themselves', async () => {
  const { outside, connected } = await startOutsideWorld({ ...REACHABLE });
  const service = await start({ network: outside, metadataFetch: 'off' });
  assert.not(await isAdvertised(service));
  assert.match(await signIn(service), /^cli_/);
  const { reason, status, host, answer } = await refusalOf(service);
  assert.equal([reason, status, host, answer], ['DOCUMENTS_OFF', 400, 'assistant.example', null]);
  assert.equal(connected, []);
});

test('on: advertises documents without a probe, and accepts clients with a document', async () => {
  const { outside, asked } = await startOutsideWorld({ ...REACHABLE });
  const service = await start({ network: outside, metadataFetch: 'on' });
  assert.ok(await isAdvertised(service));
  assert.equal(asked, []);
  assert.is(await signIn(service), CLIENT);
  assert.equal(asked, [CLIENT]);
});

test('auto: advertises documents after a successful probe; before that, clients register themselves', async () => {
  const { outside, asked } = await startOutsideWorld({ ...REACHABLE });
  const service = await start({ network: outside, metadataFetch: 'auto' });
  await fetch(`${service.url}/.well-known/oauth-protected-resource`);
  assert.equal(asked, [], 'nothing is fetched before a client reads the metadata');
  assert.not(await isAdvertised(service));
  await until(() => isAdvertised(service), 5_000, 'it is advertised');
  assert.equal(asked, PROBED);
  assert.is(await signIn(service), CLIENT);
  assert.match(service.logged.join(), 'can be fetched and are advertised');
});

for (const [what, published] of [
  ['nothing answers', { status: 503, body: '{}' }],
  ['another server answers', { body: '{"client_id":"https://captive.example/"}' }],
  ['names resolve to private addresses', { ...REACHABLE, addresses: [['10.0.0.1']] }],
] as const) {
  test(`auto: does not advertise documents if ${what}, and clients register themselves`, async () => {
    const { outside } = await startOutsideWorld(published);
    const service = await start({ network: outside, metadataFetch: 'auto' });
    for (let i = 0; i < 3; i++) assert.not(await isAdvertised(service));
    assert.match(await signIn(service), /^cli_/);
    await until(() => service.logged.length > 0, 5_000, 'it is logged');
    assert.match(service.logged.join(), `cannot be fetched, so they are not advertised {"why":"${PROBED[0]}`);
  });
}

test('auto: repeats a failed probe after 10 minutes, a successful one after 6 hours', async () => {
  const published: OutsideSite = { status: 503, body: '{}' };
  const { outside, asked } = await startOutsideWorld(published);
  const service = await start({ network: outside, metadataFetch: 'auto' });
  const { clock } = service.identity;
  const attempts = async (times: number) => {
    await isAdvertised(service);
    await until(() => asked.length >= times, 5_000, `${times} attempts`);
    assert.is(asked.length, times);
  };
  await attempts(1);
  await attempts(1);
  clock.wait(10 * MINUTE_MS);
  Object.assign(published, { status: 200, body: document });
  await attempts(3);
  await until(() => isAdvertised(service), 5_000, 'it is advertised');
  clock.wait(359 * MINUTE_MS);
  await attempts(3);
  clock.wait(MINUTE_MS);
  await attempts(5);
});

test('auto: stops advertising documents when one can no longer be fetched', async () => {
  const published: OutsideSite = { ...REACHABLE };
  const { outside, asked } = await startOutsideWorld(published);
  const service = await start({ network: outside, metadataFetch: 'auto' });
  await until(() => isAdvertised(service), 5_000, 'it is advertised');
  Object.assign(published, { status: 503 });
  service.identity.clock.wait(10 * MINUTE_MS);
  const { reason, host } = await refusalOf(service);
  assert.equal([reason, host], ['DOCUMENT_UNREACHABLE', 'assistant.example']);
  assert.is(asked.filter((url) => url === CLIENT).length, 1, 'the document is fetched once');
  await until(async () => !(await isAdvertised(service)), 5_000, 'documents are no longer advertised');
  assert.match(await signIn(service), /^cli_/);
  assert.match(service.logged.join(), 'assistant.example');
});

test('auto: a client’s unresolvable host name does not stop the advertising', async () => {
  const published: OutsideSite = { ...REACHABLE };
  const { outside } = await startOutsideWorld(published);
  const service = await start({
    network: { ...outside, resolve: async (name) => (name === 'assistant.example' ? [] : outside.resolve(name)) },
    metadataFetch: 'auto',
  });
  await until(() => isAdvertised(service), 5_000, 'it is advertised');
  service.identity.clock.wait(10 * MINUTE_MS);
  assert.is((await refusalOf(service)).reason, 'DOCUMENT_UNREACHABLE');
  for (let i = 0; i < 5; i++) assert.ok(await isAdvertised(service));
});

test('reports an invalid document and an exceeded limit as different errors', async () => {
  const { outside } = await startOutsideWorld({ body: '{}' });
  const service = await start({ network: outside });
  assert.is((await refusalOf(service)).reason, 'DOCUMENT_INVALID');
  for (let i = 0; i < 10; i++) await refusalOf(service);
  const last = await refusalOf(service);
  assert.equal([last.reason, last.status], ['RATE_LIMITED', 429]);
});

test.run();
