/** Accounts without a password reauthenticate by signing in again at the provider. */
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import {
  BOB,
  callbackPath,
  openIdSuite,
  signInWithProvider,
  startProviderSignIn,
  warningAfter,
} from '../../support/identity/openid-suite.ts';
import type { TestBrowser, WebTest } from '../../support/web/web.ts';

const test = openIdSuite('reauthentication at a provider');
const TOKENS = '/settings/tokens';
const CONFIRM = '/settings/security/confirm';
const epochSeconds = (web: WebTest, offset = 0) => Math.floor(web.now().getTime() / 1_000) + offset;

/** Returns the browser of Bob, who has no password and signed in 16 minutes ago. */
async function signInBob(web: WebTest): Promise<TestBrowser> {
  await web.setUpOwner();
  await web.members.domains.recordVouchedDomain(web.ownerId, 'example.org');
  await web.members.domains.admit(web.organizationId, 'example.org', 'EDITOR', accountActor(web.ownerId));
  const browser = web.browser();
  await signInWithProvider(browser);
  web.identity.clock.wait(16 * 60_000);
  return browser;
}

/** Sends the form for a token and follows it to the provider. Returns the provider's address. */
async function startReauthentication(browser: TestBrowser): Promise<string> {
  await browser.get(TOKENS);
  await browser.follow(await browser.send(TOKENS, { name: 'Laptop' }));
  return startProviderSignIn(browser, `${CONFIRM}/provider`);
}

test('requests a new sign-in with max_age=0, then returns to the form', async ({ web, provider }) => {
  const browser = await signInBob(web);
  const address = await startReauthentication(browser);
  assert.is(new URL(address).searchParams.get('max_age'), '0');
  web.identity.clock.wait(5 * 60_000);
  provider.person = { ...BOB, auth_time: epochSeconds(web, -240) };
  const oldCookies = [...browser.cookies.values()];
  const response = await browser.get(await callbackPath(address));
  assert.match(response.to!, `${TOKENS}?name=Laptop`);
  for (const cookie of oldCookies) assert.is(await web.people.sessions.find(cookie), null, 'it has a new cookie');
  await browser.follow(response);
  assert.is((await browser.send(TOKENS)).status, 200);
});

test('sends no max_age at a first sign-in', async ({ web, provider }) => {
  await signInBob(web);
  assert.not.ok(provider.authorizationParameters.has('max_age'));
});

for (const [problem, claims, message] of [
  ['an earlier sign-in', { auth_time: -60 }, 'did not confirm a new sign-in'],
  ['a response without auth_time', {}, 'did not confirm a new sign-in'],
  ['an auth_time that is not a number', { auth_time: 'now' }, 'did not sign you in'],
  ['somebody else', { auth_time: 0, sub: 'bob-2' }, 'with another account'],
] as const) {
  test(`refuses ${problem}`, async ({ web, provider }) => {
    const browser = await signInBob(web);
    const address = await startReauthentication(browser);
    const authTime =
      'auth_time' in claims && typeof claims.auth_time === 'number' ? epochSeconds(web, claims.auth_time) : 'now';
    provider.person = { ...BOB, ...claims, ...('auth_time' in claims ? { auth_time: authTime } : {}) };
    assert.match(await warningAfter(browser, await browser.get(await callbackPath(address))), message);
    await browser.get(TOKENS);
    assert.match((await browser.send(TOKENS, { name: 'Laptop' })).to!, CONFIRM);
    assert.equal(web.accountEvents.at(-1)?.type, 'SIGN_IN_REFUSED');
  });
}

test('ignores a response that arrives in another session', async ({ web, provider }) => {
  const browser = await signInBob(web);
  const address = await startReauthentication(browser);
  provider.person = { ...BOB, auth_time: epochSeconds(web) };
  const eve = await web.invite({ name: 'Eve', email: 'eve@example.com', password: 'listens at every door' }, 'VIEWER');
  web.identity.clock.wait(16 * 60_000);
  browser.cookies.set('veritrail', eve.cookies.get('veritrail')!);
  await browser.get(await callbackPath(address));
  await browser.get(TOKENS);
  assert.match((await browser.send(TOKENS, { name: 'Laptop' })).to!, CONFIRM);
});

test.run();
