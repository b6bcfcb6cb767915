/** Accounts that have only an OpenID provider prove again who they are by a new sign-in there. */
import * as assert from 'uvu/assert';
import { accountActor } from '../../src/identity/actor.ts';
import { BOB, backFrom, followToWarning, openIdSuite, setOut, signInBy } from '../support/openid-suite.ts';
import type { TestBrowser, WebTest } from '../support/web.ts';

const test = openIdSuite('reauthentication at a provider');
const TOKENS = '/settings/tokens';
const CONFIRM = '/settings/security/confirm';
const seconds = (web: WebTest, off = 0) => Math.floor(web.now().getTime() / 1_000) + off;

/** Bob, who has no password, as he signed in a while ago. */
async function bob(web: WebTest): Promise<TestBrowser> {
  await web.setUpOwner();
  await web.members.domains.recordVouchedDomain(web.ownerId, 'example.org');
  await web.members.domains.admit(web.organizationId, 'example.org', 'EDITOR', accountActor(web.ownerId));
  const browser = web.browser();
  await signInBy(browser);
  web.identity.clock.wait(16 * 60_000);
  return browser;
}

/** Sends the form for a token, and sets out to the provider from where that leads. */
async function goThere(browser: TestBrowser): Promise<string> {
  await browser.get(TOKENS);
  await browser.follow(await browser.send(TOKENS, { name: 'Laptop' }));
  return setOut(browser, `${CONFIRM}/provider`);
}

test('a new sign-in is asked for with max_age=0, and leads back to the form', async ({ web, provider }) => {
  const browser = await bob(web);
  const address = await goThere(browser);
  assert.is(new URL(address).searchParams.get('max_age'), '0');
  web.identity.clock.wait(5 * 60_000);
  provider.person = { ...BOB, auth_time: seconds(web, -240) };
  const back = await browser.get(await backFrom(address));
  assert.match(back.to!, `${TOKENS}?name=Laptop`);
  await browser.follow(back);
  assert.is((await browser.send(TOKENS)).status, 200);
});

test('signing in for the first time asks for no such thing', async ({ web, provider }) => {
  await bob(web);
  assert.not.ok(provider.asked.has('max_age'));
});

for (const [why, claims, said] of [
  ['an earlier sign-in', { auth_time: -60 }, 'did not confirm a new sign-in'],
  ['a provider that says no time', {}, 'did not confirm a new sign-in'],
  ['a time that is no number', { auth_time: 'now' }, 'did not sign you in'],
  ['somebody else', { auth_time: 0, sub: 'bob-2' }, 'as somebody else'],
] as const) {
  test(`it does not do: ${why}`, async ({ web, provider }) => {
    const browser = await bob(web);
    const address = await goThere(browser);
    const at = 'auth_time' in claims && typeof claims.auth_time === 'number' ? seconds(web, claims.auth_time) : 'now';
    provider.person = { ...BOB, ...claims, ...('auth_time' in claims ? { auth_time: at } : {}) };
    assert.match(await followToWarning(browser, await browser.get(await backFrom(address))), said);
    await browser.get(TOKENS);
    assert.match((await browser.send(TOKENS, { name: 'Laptop' })).to!, CONFIRM);
    assert.equal(web.noted.at(-1)?.type, 'SIGN_IN_REFUSED');
  });
}

test('what comes back to another session confirms nothing', async ({ web, provider }) => {
  const browser = await bob(web);
  const address = await goThere(browser);
  provider.person = { ...BOB, auth_time: seconds(web) };
  const eve = await web.invite({ name: 'Eve', email: 'eve@example.com', password: 'listens at every door' }, 'VIEWER');
  web.identity.clock.wait(16 * 60_000);
  browser.cookies.set('veritrail', eve.cookies.get('veritrail')!);
  await browser.get(await backFrom(address));
  await browser.get(TOKENS);
  assert.match((await browser.send(TOKENS, { name: 'Laptop' })).to!, CONFIRM);
});

test.run();
