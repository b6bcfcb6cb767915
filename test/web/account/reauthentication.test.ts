/** The page that asks again who it is. test/security/asks-again.test.ts has all forms that lead to it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { askOnPages, startOAuthPages } from '../../support/identity/oauth-pages.ts';
import { CLIENT_INFO, codeOf, wrongCode } from '../../support/identity/people.ts';
import { SoftwareKey } from '../../support/identity/software-key.ts';
import { OWNER, startWeb, type TestBrowser, textOf, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; browser: TestBrowser }>('reauthentication');
const TOKENS = '/settings/tokens';
const CONFIRM = '/settings/security/confirm';
const QUARTER_MS = 15 * 60_000;

test.before.each(async (context) => {
  context.web = await startWeb('http://localhost:0');
  context.browser = await context.web.setUpOwner();
});
test.after.each(({ web }) => web.stop());

const tokenNames = async (web: WebTest) => (await web.tokens.listOfAccount(web.ownerId)).map(({ name }) => name);

/** Checks that none of a browser's earlier cookies is a session. */
async function assertRenewed(web: WebTest, oldCookies: readonly string[]): Promise<void> {
  for (const cookie of oldCookies) assert.is(await web.people.sessions.find(cookie), null);
}

/** Sends the form for a token and returns the reauthentication page. */
async function confirmPage(browser: TestBrowser): Promise<string> {
  await browser.get(TOKENS);
  const answer = await browser.send(TOKENS, { name: 'Laptop & co', role: 'AUDITOR', days: '30', read_only: 'on' });
  assert.is(answer.status, 303);
  assert.match(answer.to!, `${CONFIRM}?next=`);
  return (await browser.follow(answer)).text;
}

test('asks for reauthentication before a token is created, and keeps the typed values', async ({ web, browser }) => {
  web.identity.clock.wait(QUARTER_MS);
  await confirmPage(browser);
  const refusal = await browser.send(CONFIRM, { current: 'not this one' });
  assert.is(refusal.status, 400);
  assert.not.ok((await tokenNames(web)).includes('Laptop & co'));
  const right = await browser.send(CONFIRM, { current: OWNER.password });
  const response = await browser.follow(right);
  assert.match(response.text, 'You can continue');
  const issued = await browser.send(TOKENS);
  assert.match(textOf(issued.text, 'token'), /^vtr_/);
  const [token] = await web.tokens.listOfAccount(web.ownerId);
  const { name, role, read_only, organizations, created_at, expires_at } = token!;
  assert.equal([name, role, read_only, organizations], ['Laptop & co', 'AUDITOR', true, [web.organizationId]]);
  assert.is(Date.parse(expires_at) - Date.parse(created_at), 30 * 86_400_000);
});

test('gives the session a new cookie, and ends the old one and copies of it', async ({ web, browser }) => {
  const laterTab = Object.assign(web.browser(), { cookies: browser.cookies });
  await laterTab.get(TOKENS);
  const thief = web.browser();
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
  const before = (await web.people.sessions.list(web.ownerId))[0]!;
  web.identity.clock.wait(QUARTER_MS);
  await confirmPage(browser);
  await browser.send(CONFIRM, { current: OWNER.password });
  assert.match((await thief.get(TOKENS)).to!, '/sign-in');
  const [session, ...others] = await web.people.sessions.list(web.ownerId);
  assert.equal(others, []);
  assert.is.not(session!.id, before.id);
  for (const field of ['account_id', 'generation', 'created_at', 'ends_at', 'browser'] as const)
    assert.is(session![field], before[field], field);
  assert.is((await laterTab.send(TOKENS, { name: 'From a form in another tab' })).status, 200);
});

test('accepts a code of the authenticator app, once', async ({ web, browser }) => {
  const session = (await web.people.sessions.list(web.ownerId))[0]!;
  const secret = (await web.people.totp.enrol(session)).secret;
  await web.people.totp.add(session, codeOf(secret, web.now()), CLIENT_INFO);
  web.identity.clock.wait(QUARTER_MS);
  await confirmPage(browser);
  const refusal = await browser.send(`${CONFIRM}/code`, { code: wrongCode(secret, web.now()) });
  assert.is(refusal.status, 400);
  assert.match(unescapeHtml(refusal.text), 'This code is wrong or was already used');
  const code = codeOf(secret, web.now());
  const oldCookies = [...browser.cookies.values()];
  assert.match((await browser.send(`${CONFIRM}/code`, { code })).to!, `${TOKENS}?name=Laptop`);
  await assertRenewed(web, oldCookies);
  web.identity.clock.wait(QUARTER_MS);
  const { id } = (await web.people.sessions.list(web.ownerId))[0]!;
  await web.identity.accounts.update('sessions', id, { confirmed_at: session.confirmed_at });
  await confirmPage(browser);
  for (let tries = 0; tries < 5; tries++) {
    await browser.get(CONFIRM);
    assert.is((await browser.send(`${CONFIRM}/code`, { code })).status, 400);
  }
  await browser.get(CONFIRM);
  assert.is((await browser.send(`${CONFIRM}/code`, { code: codeOf(secret, web.now()) })).status, 429);
});

test('accepts a passkey, but no made-up response and no other person’s passkey', async ({ web, browser }) => {
  const page = '/settings/security/passkeys';
  const key = new SoftwareKey(web.baseUrl);
  const optionsIn = (text: string) => JSON.parse(unescapeHtml(/data-options="([^"]*)"/.exec(text)![1]!));
  const credential = JSON.stringify(key.create(optionsIn((await browser.get(page)).text)));
  await browser.send(page, { name: 'Blue key', credential });
  web.identity.clock.wait(QUARTER_MS);
  for (const response of [
    '{}',
    JSON.stringify(new SoftwareKey(web.baseUrl).get(optionsIn(await confirmPage(browser)))),
  ]) {
    await confirmPage(browser);
    assert.is((await browser.send(`${CONFIRM}/passkey`, { credential: response })).status, 400);
  }
  const assertion = JSON.stringify(key.get(optionsIn(await confirmPage(browser))));
  const oldCookies = [...browser.cookies.values()];
  assert.match((await browser.send(`${CONFIRM}/passkey`, { credential: assertion })).to!, TOKENS);
  await assertRenewed(web, oldCookies);
  assert.is((await browser.get(CONFIRM)).status, 303, 'it is recent now');
});

test('asks for it before an assistant is allowed, not before it is denied, and keeps the choice', async () => {
  const site = await startOAuthPages();
  try {
    const browser = await site.signedIn();
    const { path } = await askOnPages(site, browser);
    site.web.identity.clock.wait(QUARTER_MS);
    const answer = await browser.send(path, { answer: 'allow', access: 'read', role: 'VIEWER', days: '7' });
    assert.match(answer.to!, `${CONFIRM}?next=${encodeURIComponent(path)}`);
    assert.equal(await site.oauth.assistantsOf(site.web.ownerId), []);
    await browser.follow(answer);
    const response = await browser.send(CONFIRM, { current: OWNER.password });
    await browser.follow(response);
    assert.match((await browser.send(path, { answer: 'allow' })).to!, '/oauth/authorize/');
    const { role, read_only } = (await site.oauth.assistantsOf(site.web.ownerId))[0]!;
    assert.equal([role, read_only], ['VIEWER', true]);
    const other = await askOnPages(site, browser);
    site.web.identity.clock.wait(QUARTER_MS);
    assert.match((await browser.send(other.path, { answer: 'deny' })).to!, '/oauth/authorize/');
  } finally {
    await site.stop();
  }
});

test('lists everything that still works after a password change, to revoke it singly or all at once', async ({
  web,
  browser,
}) => {
  const page = '/settings/security/credentials';
  const token = { role: 'VIEWER', organizations: [web.organizationId] } as const;
  const ownToken = { ...token, account_id: web.ownerId };
  const client = { id: 'client-1', name: 'Helper' };
  await web.tokens.connect({ ...ownToken, name: 'Helper', client }, accountActor(web.ownerId));
  const { record } = await web.tokens.create({ ...ownToken, name: 'Old laptop' });
  await browser.get('/settings/security');
  const answer = await browser.send('/settings/security/password', {
    current: OWNER.password,
    password: 'entirely other words',
  });
  assert.is(answer.to, page);
  const { text } = await browser.follow(answer);
  for (const part of ['Helper', 'Old laptop', 'A new password does not stop them']) assert.match(text, part);
  const revoke = async (credential: string) =>
    (await browser.follow(await browser.send(`${page}/revoke`, { credential }))).text;
  assert.not.match(await revoke(record.id), 'Old laptop');
  assert.ok((await web.tokens.get(record.id)).revoked_at);
  const otherMember = await web.invite(
    { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' },
    'ADMIN',
  );
  const eve = (await web.people.accounts.findByEmail('eve@example.org'))!.id;
  const { record: foreignToken } = await web.tokens.create({ ...token, account_id: eve, name: 'Of Eve' });
  assert.match(await revoke(foreignToken.id), 'There is no such token');
  assert.is((await web.tokens.get(foreignToken.id)).revoked_at, null);
  assert.match((await browser.follow(await browser.send(`${page}/revoke-all`))).text, 'All tokens and assistants');
  assert.ok((await web.tokens.listOfAccount(web.ownerId)).every(({ state }) => state === 'REVOKED'));
  await otherMember.get('/settings/security');
  const next = { current: 'listens at every door', password: 'entirely other words' };
  assert.is((await otherMember.send('/settings/security/password', next)).to, page);
  await web.tokens.revoke(foreignToken.id);
  await otherMember.get('/settings/security');
  const samePassword = { current: next.password, password: 'words that differ again' };
  assert.is(
    (await otherMember.send('/settings/security/password', samePassword)).to,
    '/settings/security',
    'there is none left',
  );
});

test('shows tokens and assistants of the last 30 days on the security page', async ({ web, browser }) => {
  const token = { role: 'VIEWER', account_id: web.ownerId, organizations: [web.organizationId] } as const;
  const tableIn = async () =>
    /Created in the last 30 days.*?<\/table>/s.exec((await browser.get('/settings/security')).text)?.[0];
  web.identity.clock.wait(6 * 86_400_000);
  for (const [name, value] of (await signedIn(web)).cookies) browser.cookies.set(name, value);
  await web.tokens.create({ ...token, name: 'Left behind' });
  assert.match((await tableIn())!, 'Left behind');
  web.identity.clock.wait(30 * 86_400_000);
  for (const [name, value] of (await signedIn(web)).cookies) browser.cookies.set(name, value);
  await web.tokens.create({ ...token, name: 'Just now' });
  assert.match((await tableIn())!, 'Left behind');
  web.identity.clock.wait(1);
  assert.not.match((await tableIn())!, 'Left behind');
  assert.match((await tableIn())!, 'Just now');
});

async function signedIn(web: WebTest): Promise<TestBrowser> {
  const browser = web.browser();
  await browser.get('/sign-in');
  await browser.send('/sign-in', OWNER);
  return browser;
}

test.run();
