/** Signing in by an OpenID provider: whose account it is, and who is turned away. */

import * as assert from 'uvu/assert';
import { accountActor } from '../../src/identity/actor.ts';
import { BOB, backFrom, followToWarning, isSignedIn, openIdSuite, setOut, signInBy } from '../support/openid-suite.ts';
import { CLIENT_INFO, codeOf } from '../support/people.ts';
import { OWNER, startWeb, type WebTest } from '../support/web.ts';

const test = openIdSuite('sign-in by a provider');

async function admit(web: WebTest, domain: string, role: 'VIEWER' | 'EDITOR' = 'VIEWER'): Promise<void> {
  await web.members.domains.recordVouchedDomain(web.ownerId, domain);
  await web.members.domains.admit(web.organizationId, domain, role, accountActor(web.ownerId));
}

async function invitation(web: WebTest): Promise<string> {
  const wanted = {
    kind: 'INVITATION',
    organization_id: web.organizationId,
    role: 'EDITOR',
    made_by: web.ownerId,
  } as const;
  return `/welcome?key=${(await web.people.links.create(wanted)).secret}`;
}

const last = (web: WebTest) => {
  const { clientInfo: _clientInfo, ...event } = web.noted.at(-1)!;
  return event;
};

test('is offered only where a provider is set, by its name', async ({ web, provider }) => {
  const { text } = await web.browser().get('/sign-in');
  assert.match(text, `Continue with ${new URL(provider.issuer).host}`);
  const without = await startWeb();
  const browser = without.browser();
  assert.not.match((await browser.get('/sign-in')).text, 'Continue with');
  assert.is((await browser.get('/sign-in/openid/callback')).status, 404);
  await without.stop();
});

test('stands beside the password: either form of a page can be sent', async ({ web }) => {
  await web.setUpOwner();
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', OWNER)).status, 303);
  assert.ok(await isSignedIn(browser));
});

test('lets in whoever has an address of a domain that is admitted, and knows them again', async ({ web, provider }) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  const browser = web.browser();
  await browser.get('/sign-in?next=/organizations?a=b');
  const address = new URL(await setOut(browser));
  assert.is(address.searchParams.get('code_challenge_method'), 'S256');
  assert.is(address.searchParams.get('scope'), 'openid email profile');
  assert.is(address.searchParams.get('redirect_uri'), `${web.url}/sign-in/openid/callback`);
  const done = await browser.get(await backFrom(address.href));
  assert.equal([done.status, done.to], [303, '/organizations?a=b']);
  assert.is(done.headers['cross-origin-opener-policy'], 'unsafe-none', 'an assistant may wait for this window');
  const account = (await web.people.accounts.findBySubject(`${provider.issuer} bob-1`))!;
  assert.equal([account.name, account.email, account.password], ['Bob Babbage', 'bob@example.org', null]);
  assert.equal([...(await web.members.rolesOf(account.id))], [[web.organizationId, 'VIEWER']]);
  assert.equal(last(web), { type: 'SIGNED_IN', account_id: account.id, factor: 'OPENID' });

  provider.person = { ...BOB, email: 'bob.babbage@elsewhere.example', name: 'Robert' };
  const again = web.browser();
  await signInBy(again);
  assert.ok(await isSignedIn(again));
  assert.is(last(web).account_id, account.id);
});

test('asks for address and name where the ID token has none', async ({ web, provider }) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  provider.person = { sub: 'quiet' };
  provider.info = { email: 'quiet@example.org', email_verified: true, given_name: 'Quiet\u202e', family_name: 'One' };
  const browser = web.browser();
  await signInBy(browser);
  assert.is((await web.people.accounts.findBySubject(`${provider.issuer} quiet`))?.name, 'Quiet  One');
  provider.info = { sub: 'somebody else', email: 'quiet@example.org', email_verified: true };
  const mixed = web.browser();
  await signInBy(mixed);
  assert.not.ok(await isSignedIn(mixed), 'what is said of another person');
});

test('somebody known becomes a member wherever their domain was admitted since', async ({ web, provider }) => {
  await web.setUpOwner();
  await web.people.accounts.create({ ...BOB, subject: `${provider.issuer} bob-1` }, CLIENT_INFO);
  const browser = web.browser();
  await signInBy(browser);
  const { id } = (await web.people.accounts.findByEmail(BOB.email))!;
  assert.is((await web.members.rolesOf(id)).size, 0);
  await admit(web, 'example.org', 'EDITOR');
  provider.person = { ...BOB, email_verified: false };
  await signInBy(web.browser());
  assert.is((await web.members.rolesOf(id)).size, 0, 'an address that is not verified is of no domain');
  provider.person = BOB;
  await signInBy(web.browser());
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
});

test('turns away whom nobody let in, in the same words whoever has an account', async ({ web, provider }) => {
  await web.setUpOwner();
  await web.people.accounts.create(
    { name: 'Bo', email: 'bo@example.org', subject: `${provider.issuer} bo` },
    CLIENT_INFO,
  );
  const words = new Set<string>();
  for (const email of ['nobody@example.org', 'bo@example.org']) {
    provider.person = { ...BOB, email };
    const browser = web.browser();
    const answer = await signInBy(browser);
    assert.is(answer.to, '/sign-in');
    words.add(await followToWarning(browser, answer));
    assert.not.ok(await isSignedIn(browser));
    assert.is((last(web) as { reason?: string }).reason, 'NOT_ADMITTED');
  }
  assert.is(words.size, 1);
  assert.match([...words][0]!, 'ask an owner of your organization');
});

test('an address that is not verified lets nobody in: not by its domain, its account or an invitation', async ({
  web,
  provider,
}) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  await web.identity.accounts.insert('accounts', { id: 'acc_waiting', email: BOB.email, email_key: BOB.email });
  for (const email_verified of [false, undefined, 'true', 1, null]) {
    for (const email of [BOB.email, 'new@example.org', 'no address', '@example.org', 7]) {
      provider.person = { ...BOB, email, email_verified };
      const browser = web.browser();
      assert.match(await followToWarning(browser, await signInBy(browser)), 'is verified');
      await signInBy(browser, await invitation(web));
      assert.not.ok(await isSignedIn(browser));
    }
  }
  assert.is((await web.identity.accounts.all('accounts')).length, 2);
});

test('never takes over an account with a password; its owner connects it', async ({ web, provider }) => {
  const owner = await web.setUpOwner();
  await admit(web, 'example.org');
  provider.person = { ...BOB, email: ' Ada@EXAMPLE.org' };
  const browser = web.browser();
  const told = await followToWarning(browser, await signInBy(browser, await invitation(web)));
  assert.match(told, 'sign in with that, then connect');
  assert.not.ok(await isSignedIn(browser));
  assert.equal(last(web), { type: 'SIGN_IN_REFUSED', account_id: web.ownerId, reason: 'NOT_CONNECTED' });
  assert.is((await web.people.accounts.get(web.ownerId))!.subject, null);

  const connected = await signInBy(owner, '/settings/security', '/settings/security/provider');
  assert.is(connected.to, '/settings/security');
  assert.match((await owner.follow(connected)).text, 'Account connected');
  assert.equal(last(web), { type: 'PROVIDER_CONNECTED', account_id: web.ownerId });
  await signInBy(browser);
  assert.ok(await isSignedIn(browser));

  const out = await owner.send('/settings/security/provider/remove');
  assert.match((await owner.follow(out)).text, 'Account disconnected');
  assert.equal(last(web), { type: 'PROVIDER_DISCONNECTED', account_id: web.ownerId });
  const stranger = web.browser();
  await signInBy(stranger);
  assert.not.ok(await isSignedIn(stranger));
});

test('an account that waits without a way in is linked by its verified address', async ({ web, provider }) => {
  await web.setUpOwner();
  const waiting = { id: 'acc_waiting', name: 'Bob', email: 'Bob@Example.org', email_key: 'bob@example.org' };
  await web.identity.accounts.insert('accounts', { ...waiting, created_at: web.now().toISOString() });
  const browser = web.browser();
  await signInBy(browser);
  assert.ok(await isSignedIn(browser));
  assert.is((await web.people.accounts.get('acc_waiting'))!.subject, `${provider.issuer} bob-1`);
});

test('an account that gets a password at that moment is not linked', async ({ web, provider }) => {
  const { accounts } = web.identity;
  await accounts.insert('accounts', { id: 'acc_waiting', email: BOB.email, email_key: BOB.email });
  const { findByEmail: byEmail } = web.people.accounts;
  web.people.accounts.findByEmail = async (email) => {
    const found = await byEmail.call(web.people.accounts, email);
    await accounts.update('accounts', 'acc_waiting', { password: 'a hash' });
    return found;
  };
  const browser = web.browser();
  assert.match(await followToWarning(browser, await signInBy(browser)), 'nobody let you in');
  assert.is(await web.people.accounts.findBySubject(`${provider.issuer} ${BOB.sub}`), null);
});

test('an invitation lets a newcomer in by the provider, once', async ({ web }) => {
  await web.setUpOwner();
  const path = await invitation(web);
  const browser = web.browser();
  const answer = await signInBy(browser, path);
  assert.is(answer.to, '/');
  assert.ok(await isSignedIn(browser));
  const { id } = (await web.people.accounts.findByEmail(BOB.email))!;
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
  assert.is((await browser.get(path)).status, 404, 'the link is used up');
});

test('somebody known comes back to the invitation and accepts it there', async ({ web, provider }) => {
  await web.setUpOwner();
  const { id } = await web.people.accounts.create({ ...BOB, subject: `${provider.issuer} bob-1` }, CLIENT_INFO);
  const browser = web.browser();
  const path = await invitation(web);
  const answer = await signInBy(browser, path);
  assert.is(answer.to, path);
  assert.match((await browser.follow(answer)).text, 'Accept the invitation');
  assert.is((await browser.send('/welcome/accept')).status, 303);
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
});

test('an invitation that is no more lets nobody in, nor does a link of another kind', async ({ web }) => {
  await web.setUpOwner();
  const { secret } = await web.people.links.create({ kind: 'RESET', account_id: web.ownerId, made_by: 'SYSTEM' });
  for (const key of ['', 'x'.repeat(43), secret]) {
    const browser = web.browser();
    const answer = await signInBy(browser, `/sign-in?next=${encodeURIComponent(`/welcome?key=${key}`)}`);
    assert.match(await followToWarning(browser, answer), 'nobody let you in');
    assert.not.ok(await isSignedIn(browser));
  }
  assert.is(await web.people.accounts.findByEmail(BOB.email), null);
});

test('a second factor is asked for all the same', async ({ web, provider }) => {
  const owner = await web.setUpOwner();
  await signInBy(owner, '/settings/security', '/settings/security/provider');
  const session = (await web.people.sessions.list(web.ownerId))[0]!;
  const { secret } = await web.people.totp.enrol(session);
  await web.people.totp.add(session, codeOf(secret, web.now()), CLIENT_INFO);
  web.identity.clock.wait(60_000);
  const browser = web.browser();
  const answer = await signInBy(browser, '/sign-in?next=/organizations');
  assert.is(answer.to, '/sign-in/second-factor?next=%2Forganizations');
  assert.not.ok(await isSignedIn(browser));
  await browser.follow(answer);
  const done = await browser.send('/sign-in/second-factor', { code: codeOf(secret, web.now()) });
  assert.is(done.to, '/organizations');
  assert.ok(await isSignedIn(browser));
  assert.is(provider.asked.get('client_id'), 'veritrail');
});

test.run();
