/** Answers of an OpenID provider that are invalid, or for another browser. */
import * as assert from 'uvu/assert';
import { startProvider, strangeKey } from '../../support/identity/openid-provider.ts';
import {
  BOB,
  callbackPath,
  isSignedIn,
  openIdSuite,
  signInWithProvider,
  startProviderSignIn,
  warningAfter,
} from '../../support/identity/openid-suite.ts';
import { CLIENT_INFO } from '../../support/identity/people.ts';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const test = openIdSuite('a provider’s answers');

/** Bob has an account, so a valid answer signs him in. */
test.before.each(async ({ web, provider }) => {
  await web.people.accounts.create({ ...BOB, subject: `${provider.issuer} ${BOB.sub}` }, CLIENT_INFO);
});

const reasons = (web: WebTest) => web.accountEvents.flatMap((event) => ('reason' in event ? [event.reason] : []));

async function refusedWith(browser: TestBrowser, path: string, words: string): Promise<void> {
  const answer = await browser.get(path);
  assert.match(await warningAfter(browser, answer), words);
  assert.not.ok(await isSignedIn(browser));
  assert.not.ok(browser.cookies.has('veritrail'));
}

test('a valid answer signs in', async ({ web }) => {
  const browser = web.browser();
  assert.is((await signInWithProvider(browser)).to, '/');
  assert.ok(await isSignedIn(browser));
  assert.not.ok(browser.cookies.has('veritrail-openid'));
});

const now = () => Math.floor(Date.now() / 1_000);
for (const [what, claims] of [
  ['another audience', () => ({ aud: 'somebody-else' })],
  ['no audience', () => ({ aud: undefined })],
  ['several audiences and another authorized party', () => ({ aud: ['veritrail', 'other'], azp: 'other' })],
  ['another issuer', () => ({ iss: 'https://login.example.com' })],
  ['another nonce', () => ({ nonce: 'x'.repeat(43) })],
  ['no nonce', () => ({ nonce: undefined })],
  ['a past expiry', () => ({ iat: now() - 600, exp: now() - 300 })],
  ['no expiry', () => ({ exp: undefined })],
  ['a future start', () => ({ nbf: now() + 600 })],
  ['no subject', () => ({ sub: undefined })],
] as const) {
  test(`refuses an ID token with ${what}`, async ({ web, provider }) => {
    provider.changeClaims = (answer) => ({ ...answer, ...claims() });
    const browser = web.browser();
    await browser.get('/sign-in');
    await refusedWith(browser, await callbackPath(await startProviderSignIn(browser)), 'did not sign you in');
    assert.equal(reasons(web), ['BAD_ANSWER']);
  });
}

test('refuses an ID token that the provider did not sign', async ({ web, provider }) => {
  provider.key = strangeKey();
  const browser = web.browser();
  await browser.get('/sign-in');
  await refusedWith(browser, await callbackPath(await startProviderSignIn(browser)), 'did not sign you in');
});

for (const [what, change] of [
  ['another state', (parameters: URLSearchParams) => parameters.set('state', 'x'.repeat(43))],
  ['no state', (parameters: URLSearchParams) => parameters.delete('state')],
  ['two states', (parameters: URLSearchParams) => parameters.append('state', parameters.get('state')!)],
  ['another issuer', (parameters: URLSearchParams) => parameters.set('iss', 'https://login.example.com')],
  ['no issuer, which this provider always names', (parameters: URLSearchParams) => parameters.delete('iss')],
  ['another code', (parameters: URLSearchParams) => parameters.set('code', 'made up')],
  ['no code', (parameters: URLSearchParams) => parameters.delete('code')],
  ['two codes', (parameters: URLSearchParams) => parameters.append('code', parameters.get('code')!)],
  ['a refusal', (parameters: URLSearchParams) => parameters.set('error', 'access_denied')],
] as const) {
  test(`refuses a callback with ${what}, and ends the transaction`, async ({ web, provider }) => {
    provider.answer = change;
    const browser = web.browser();
    await browser.get('/sign-in');
    const address = await startProviderSignIn(browser);
    const cookie = browser.cookies.get('veritrail-openid')!;
    await refusedWith(browser, await callbackPath(address), 'did not sign you in');
    provider.answer = () => undefined;
    browser.cookies.set('veritrail-openid', cookie);
    await refusedWith(browser, await callbackPath(address), 'was already used');
    assert.equal(reasons(web), ['BAD_ANSWER', 'BAD_ANSWER']);
  });
}

test('an answer counts once, also with a stolen cookie and a provider that accepts codes twice', async ({
  web,
  provider,
}) => {
  provider.sloppy = true;
  const [browser, thief] = [web.browser(), web.browser()];
  await browser.get('/sign-in');
  const path = await callbackPath(await startProviderSignIn(browser));
  const cookie = browser.cookies.get('veritrail-openid')!;
  await browser.get(path);
  assert.ok(await isSignedIn(browser));
  thief.cookies.set('veritrail-openid', cookie);
  const tokenRequests = provider.paths.filter((requested) => requested === '/token').length;
  await refusedWith(thief, path, 'was already used');
  assert.is(
    provider.paths.filter((requested) => requested === '/token').length,
    tokenRequests,
    'the service did not call the provider',
  );

  const both = web.browser();
  await both.get('/sign-in');
  const race = await callbackPath(await startProviderSignIn(both));
  const answers = await Promise.all([both.get(race), both.get(race), both.get(race)]);
  assert.equal(answers.map(({ to }) => to).sort(), ['/', '/sign-in', '/sign-in']);
});

test('refuses another browser’s answer, so a link cannot sign anybody in', async ({ web }) => {
  const [thief, victim] = [web.browser(), web.browser()];
  await thief.get('/sign-in');
  const path = await callbackPath(await startProviderSignIn(thief));
  await refusedWith(victim, path, 'started in another browser');
  await victim.get('/sign-in');
  await startProviderSignIn(victim);
  await refusedWith(victim, path, 'did not sign you in');
});

test('ignores a cookie that was changed or cut, or has expired', async ({ web }) => {
  const browser = web.browser();
  await browser.get('/sign-in');
  const path = await callbackPath(await startProviderSignIn(browser));
  const cookie = browser.cookies.get('veritrail-openid')!;
  const [text = '', mac = ''] = cookie.split('.');
  const payload = JSON.parse(Buffer.from(text, 'base64url').toString());
  const forgedPayload = { ...payload, errand: { purpose: 'SIGN_IN', next: '//evil.example' } };
  const forged = Buffer.from(JSON.stringify(forgedPayload)).toString('base64url');
  for (const value of [`${forged}.${mac}`, text, `${text}.`, `.${mac}`, `${text}.${mac.slice(1)}`, '.', '~', mac]) {
    browser.cookies.set('veritrail-openid', value);
    await refusedWith(browser, path, 'started in another browser');
  }
  assert.not.match(Buffer.from(text, 'base64url').toString(), new URL(path, web.url).searchParams.get('state')!);
  browser.cookies.set('veritrail-openid', cookie);
  web.identity.clock.wait(10 * 60_000);
  await refusedWith(browser, path, 'took too long');
});

test('redirects only to our own addresses, and drops long ones', async ({ web }) => {
  for (const [next, to] of [
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    [`/organizations?a=${'b'.repeat(490)}`, '/'],
    [`/organizations?a=${'b'.repeat(480)}`, `/organizations?a=${'b'.repeat(480)}`],
  ]) {
    assert.is((await signInWithProvider(web.browser(), `/sign-in?next=${encodeURIComponent(next!)}`)).to, to);
  }
});

test('while the provider is down the page says so, passwords work, and the service tries again', async ({
  web,
  provider,
}) => {
  await web.setUpOwner();
  provider.down = 503;
  const browser = web.browser();
  await browser.get('/sign-in?next=/organizations');
  const unavailable = await browser.send('/sign-in/openid');
  assert.is(unavailable.to, '/sign-in?next=%2Forganizations');
  assert.match(await warningAfter(browser, unavailable), 'cannot be reached at the moment');
  provider.down = null;
  assert.is((await signInWithProvider(browser)).to, '/');

  const laterBrowser = web.browser();
  await laterBrowser.get('/sign-in');
  const path = await callbackPath(await startProviderSignIn(laterBrowser));
  provider.down = 500;
  await refusedWith(laterBrowser, path, 'cannot be reached at the moment');
  assert.equal(reasons(web), [], 'nobody was refused');
});

test('refuses a provider that names another issuer', async ({ provider }) => {
  const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
  const web = await startWeb(undefined, { openId: { ...provider.settings, issuer } });
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.match(await warningAfter(browser, await browser.send('/sign-in/openid')), 'cannot be reached');
  assert.ok(provider.paths.includes('/.well-known/openid-configuration'));
  await web.stop();
});

test('treats a provider without an answer as down until it answers', async ({ web, provider }) => {
  const port = Number(new URL(provider.issuer).port);
  await provider.stop();
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.match(await warningAfter(browser, await browser.send('/sign-in/openid')), 'cannot be reached');
  Object.assign(provider, await startProvider(port));
  await browser.get('/sign-in');
  assert.ok(await startProviderSignIn(browser));
});

test('fetches the provider’s metadata once for many people', async ({ web, provider }) => {
  const browsers = Array.from({ length: 5 }, () => web.browser());
  await Promise.all(browsers.map((browser) => browser.get('/sign-in')));
  await Promise.all(browsers.map((browser) => startProviderSignIn(browser)));
  await browsers[0]!.get('/sign-in');
  await startProviderSignIn(browsers[0]!);
  assert.is(provider.paths.filter((path) => path.startsWith('/.well-known/')).length, 1);
});

test.run();
