import * as assert from 'uvu/assert';
import type { AuthorizationError } from '../../../src/identity/oauth/authorization-error.ts';
import { authorizeUrl, newClient, pkce } from '../../support/identity/oauth-raw.ts';
import { type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('authorization request limits');

const WEB = 'https://assistant.example/land';

/** Sends valid requests and counts their results: the consent page, or a redirect with an OAuth error. */
async function begin(service: OAuthService, person: string | null, times: number): Promise<Record<string, number>> {
  const client = await newClient(service);
  const browser = new TestBrowser(service, person);
  const counts: Record<string, number> = {};
  for (let i = 0; i < times; i++) {
    const location = (await browser.request(authorizeUrl(service, client, pkce().challenge))).headers.get('location')!;
    const led = new URL(location, service.url).searchParams.get('error') ?? 'ASKED';
    counts[led] = (counts[led] ?? 0) + 1;
  }
  return counts;
}

test('limits requests of a network, separately from those of signed-in people', async () => {
  const service = await start();
  assert.equal(await begin(service, null, 61), { ASKED: 60, temporarily_unavailable: 1 });
  assert.equal(await begin(service, service.owner, 61), { ASKED: 60, temporarily_unavailable: 1 });
  assert.equal(await begin(service, 'acc_00000000000000000000000000', 1), { ASKED: 1 });
  service.clientInfo.address = '198.51.100.1';
  assert.equal(await begin(service, null, 1), { ASKED: 1 });
  service.identity.clock.wait(60_000);
  assert.equal(await begin(service, service.owner, 1), { ASKED: 1 });
});

test('tells a web client over the limit on our page when to try again', async () => {
  const service = await start();
  const client = await newClient(service, { redirect_uris: [WEB] });
  await begin(service, null, 60);
  const url = authorizeUrl(service, client, pkce().challenge, { redirect_uri: WEB });
  const response = await new TestBrowser(service, null).request(url);
  assert.is(response.status, 429);
  assert.is(response.headers.get('retry-after'), '1');
  const error = (await response.json()) as AuthorizationError;
  assert.is(error.reason, 'RATE_LIMITED');
  assert.match(error.answer!.uri, /^https:\/\/assistant\.example\/land\?error=temporarily_unavailable&/);
});

test('does not count invalid requests', async () => {
  const service = await start();
  const client = await newClient(service, { redirect_uris: [WEB] });
  const browser = new TestBrowser(service, null);
  const { challenge } = pkce();
  for (let i = 0; i < 70; i++) {
    const page = authorizeUrl(service, `cli_${i}`, challenge);
    const invalidUrl = authorizeUrl(service, client, challenge, { redirect_uri: WEB, response_type: 'token' });
    for (const url of [page, invalidUrl]) assert.is((await browser.request(url)).status, 400);
  }
  assert.equal(await begin(service, null, 60), { ASKED: 60 });
});

test.run();
