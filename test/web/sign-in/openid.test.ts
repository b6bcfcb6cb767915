/** Sign-in by an OpenID provider: the matching account, and refusals. */

import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import {
  BOB,
  callbackPath,
  isSignedIn,
  openIdSuite,
  signInWithProvider,
  startProviderSignIn,
  warningAfter,
} from '../../support/identity/openid-suite.ts';
import { CLIENT_INFO, codeOf } from '../../support/identity/people.ts';
import { OWNER, startWeb, type WebTest } from '../../support/web/web.ts';

const test = openIdSuite('sign-in by a provider');

async function admit(web: WebTest, domain: string, role: 'VIEWER' | 'EDITOR' = 'VIEWER'): Promise<void> {
  await web.members.domains.recordVouchedDomain(web.ownerId, domain);
  await web.members.domains.admit(web.organizationId, domain, role, accountActor(web.ownerId));
}

async function invitation(web: WebTest): Promise<string> {
  const claims = {
    kind: 'INVITATION',
    organization_id: web.organizationId,
    role: 'EDITOR',
    made_by: web.ownerId,
  } as const;
  return `/welcome?key=${(await web.people.links.create(claims)).secret}`;
}

const last = (web: WebTest) => {
  const { clientInfo: _clientInfo, ...event } = web.accountEvents.at(-1)!;
  return event;
};

test('is offered under the provider’s name, if one is configured', async ({ web, provider }) => {
  const { text } = await web.browser().get('/sign-in');
  assert.match(text, `Continue with ${new URL(provider.issuer).host}`);
  const without = await startWeb();
  const browser = without.browser();
  assert.not.match((await browser.get('/sign-in')).text, 'Continue with');
  assert.is((await browser.get('/sign-in/openid/callback')).status, 404);
  await without.stop();
});

test('is offered next to the password, and either form works', async ({ web }) => {
  await web.setUpOwner();
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', OWNER)).status, 303);
  assert.ok(await isSignedIn(browser));
});

test('admits a person with an address of an admitted domain, and recognises them next time', async ({
  web,
  provider,
}) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  const browser = web.browser();
  await browser.get('/sign-in?next=/organizations?a=b');
  const address = new URL(await startProviderSignIn(browser));
  assert.is(address.searchParams.get('code_challenge_method'), 'S256');
  assert.is(address.searchParams.get('scope'), 'openid email profile');
  assert.is(address.searchParams.get('redirect_uri'), `${web.url}/sign-in/openid/callback`);
  const done = await browser.get(await callbackPath(address.href));
  assert.equal([done.status, done.to], [303, '/organizations?a=b']);
  assert.is(done.headers['cross-origin-opener-policy'], 'unsafe-none', 'an assistant may wait for this window');
  const account = (await web.people.accounts.findBySubject(`${provider.issuer} bob-1`))!;
  assert.equal([account.name, account.email, account.password], ['Bob Babbage', 'bob@example.org', null]);
  assert.equal([...(await web.members.rolesOf(account.id))], [[web.organizationId, 'VIEWER']]);
  assert.equal(last(web), { type: 'SIGNED_IN', account_id: account.id, factor: 'OPENID' });

  provider.person = { ...BOB, email: 'bob.babbage@elsewhere.example', name: 'Robert' };
  const otherBrowser = web.browser();
  await signInWithProvider(otherBrowser);
  assert.ok(await isSignedIn(otherBrowser));
  assert.is(last(web).account_id, account.id);
});

test('asks the userinfo endpoint for address and name if the ID token has none', async ({ web, provider }) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  provider.person = { sub: 'quiet' };
  provider.info = { email: 'quiet@example.org', email_verified: true, given_name: 'Quiet\u202e', family_name: 'One' };
  const browser = web.browser();
  await signInWithProvider(browser);
  assert.is((await web.people.accounts.findBySubject(`${provider.issuer} quiet`))?.name, 'Quiet  One');
  provider.info = { sub: 'somebody else', email: 'quiet@example.org', email_verified: true };
  const mixed = web.browser();
  await signInWithProvider(mixed);
  assert.not.ok(await isSignedIn(mixed), 'userinfo of another person');
});

test('adds a known person to organizations that admitted their domain since', async ({ web, provider }) => {
  await web.setUpOwner();
  await web.people.accounts.create({ ...BOB, subject: `${provider.issuer} bob-1` }, CLIENT_INFO);
  const browser = web.browser();
  await signInWithProvider(browser);
  const { id } = (await web.people.accounts.findByEmail(BOB.email))!;
  assert.is((await web.members.rolesOf(id)).size, 0);
  await admit(web, 'example.org', 'EDITOR');
  provider.person = { ...BOB, email_verified: false };
  await signInWithProvider(web.browser());
  assert.is((await web.members.rolesOf(id)).size, 0, 'an address that is not verified is of no domain');
  provider.person = BOB;
  await signInWithProvider(web.browser());
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
});

test('refuses strangers in the same words, with or without an account', async ({ web, provider }) => {
  await web.setUpOwner();
  await web.people.accounts.create(
    { name: 'Bo', email: 'bo@example.org', subject: `${provider.issuer} bo` },
    CLIENT_INFO,
  );
  const words = new Set<string>();
  for (const email of ['nobody@example.org', 'bo@example.org']) {
    provider.person = { ...BOB, email };
    const browser = web.browser();
    const answer = await signInWithProvider(browser);
    assert.is(answer.to, '/sign-in');
    words.add(await warningAfter(browser, answer));
    assert.not.ok(await isSignedIn(browser));
    assert.is((last(web) as { reason?: string }).reason, 'NOT_ADMITTED');
  }
  assert.is(words.size, 1);
  assert.match([...words][0]!, 'Ask an owner of your organization');
});

test('ignores an unverified address, for domains, accounts and invitations', async ({ web, provider }) => {
  await web.setUpOwner();
  await admit(web, 'example.org');
  await web.identity.accounts.insert('accounts', { id: 'acc_waiting', email: BOB.email, email_key: BOB.email });
  for (const email_verified of [false, undefined, 'true', 1, null]) {
    for (const email of [BOB.email, 'new@example.org', 'no address', '@example.org', 7]) {
      provider.person = { ...BOB, email, email_verified };
      const browser = web.browser();
      assert.match(await warningAfter(browser, await signInWithProvider(browser)), 'no verified e-mail address');
      await signInWithProvider(browser, await invitation(web));
      assert.not.ok(await isSignedIn(browser));
    }
  }
  assert.is((await web.identity.accounts.all('accounts')).length, 2);
});

test('never takes over an account with a password, which only its owner can connect', async ({ web, provider }) => {
  const owner = await web.setUpOwner();
  await admit(web, 'example.org');
  provider.person = { ...BOB, email: ' Ada@EXAMPLE.org' };
  const browser = web.browser();
  const recorded = await warningAfter(browser, await signInWithProvider(browser, await invitation(web)));
  assert.match(recorded, 'Sign in with it, then connect');
  assert.not.ok(await isSignedIn(browser));
  assert.equal(last(web), { type: 'SIGN_IN_REFUSED', account_id: web.ownerId, reason: 'NOT_CONNECTED' });
  assert.is((await web.people.accounts.get(web.ownerId))!.subject, null);

  const connected = await signInWithProvider(owner, '/settings/security', '/settings/security/provider');
  assert.is(connected.to, '/settings/security');
  assert.match((await owner.follow(connected)).text, 'Account connected');
  assert.equal(last(web), { type: 'PROVIDER_CONNECTED', account_id: web.ownerId });
  await signInWithProvider(browser);
  assert.ok(await isSignedIn(browser));

  const out = await owner.send('/settings/security/provider/remove');
  assert.match((await owner.follow(out)).text, 'Account disconnected');
  assert.equal(last(web), { type: 'PROVIDER_DISCONNECTED', account_id: web.ownerId });
  const stranger = web.browser();
  await signInWithProvider(stranger);
  assert.not.ok(await isSignedIn(stranger));
});

test('links an account without any sign-in method by its verified address', async ({ web, provider }) => {
  await web.setUpOwner();
  const waiting = { id: 'acc_waiting', name: 'Bob', email: 'Bob@Example.org', email_key: 'bob@example.org' };
  await web.identity.accounts.insert('accounts', { ...waiting, created_at: web.now().toISOString() });
  const browser = web.browser();
  await signInWithProvider(browser);
  assert.ok(await isSignedIn(browser));
  assert.is((await web.people.accounts.get('acc_waiting'))!.subject, `${provider.issuer} bob-1`);
});

test('links no account that gets a password at the same moment', async ({ web, provider }) => {
  const { accounts } = web.identity;
  await accounts.insert('accounts', { id: 'acc_waiting', email: BOB.email, email_key: BOB.email });
  const { findByEmail } = web.people.accounts;
  web.people.accounts.findByEmail = async (email) => {
    const account = await findByEmail.call(web.people.accounts, email);
    await accounts.update('accounts', 'acc_waiting', { password: 'a hash' });
    return account;
  };
  const browser = web.browser();
  assert.match(await warningAfter(browser, await signInWithProvider(browser)), 'you have no account here');
  assert.is(await web.people.accounts.findBySubject(`${provider.issuer} ${BOB.sub}`), null);
});

test('lets a new person in by an invitation and the provider, once', async ({ web }) => {
  await web.setUpOwner();
  const path = await invitation(web);
  const browser = web.browser();
  const answer = await signInWithProvider(browser, path);
  assert.is(answer.to, '/');
  assert.ok(await isSignedIn(browser));
  const { id } = (await web.people.accounts.findByEmail(BOB.email))!;
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
  assert.is((await browser.get(path)).status, 404, 'the link is used up');
});

test('returns a known person to the invitation, where they accept it', async ({ web, provider }) => {
  await web.setUpOwner();
  const { id } = await web.people.accounts.create({ ...BOB, subject: `${provider.issuer} bob-1` }, CLIENT_INFO);
  const browser = web.browser();
  const path = await invitation(web);
  const answer = await signInWithProvider(browser, path);
  assert.is(answer.to, path);
  assert.match((await browser.follow(answer)).text, 'Accept the invitation');
  assert.is((await browser.send('/welcome/accept')).status, 303);
  assert.is((await web.members.rolesOf(id)).get(web.organizationId), 'EDITOR');
});

test('refuses an unknown invitation key, and a key of another kind of link', async ({ web }) => {
  await web.setUpOwner();
  const { secret } = await web.people.links.create({ kind: 'RESET', account_id: web.ownerId, made_by: 'SYSTEM' });
  for (const key of ['', 'x'.repeat(43), secret]) {
    const browser = web.browser();
    const answer = await signInWithProvider(browser, `/sign-in?next=${encodeURIComponent(`/welcome?key=${key}`)}`);
    assert.match(await warningAfter(browser, answer), 'you have no account here');
    assert.not.ok(await isSignedIn(browser));
  }
  assert.is(await web.people.accounts.findByEmail(BOB.email), null);
});

test('still asks for the second factor', async ({ web, provider }) => {
  const owner = await web.setUpOwner();
  await signInWithProvider(owner, '/settings/security', '/settings/security/provider');
  const session = (await web.people.sessions.list(web.ownerId))[0]!;
  const { secret } = await web.people.totp.enrol(session);
  await web.people.totp.add(session, codeOf(secret, web.now()), CLIENT_INFO);
  web.identity.clock.wait(60_000);
  const browser = web.browser();
  const answer = await signInWithProvider(browser, '/sign-in?next=/organizations');
  assert.is(answer.to, '/sign-in/second-factor?next=%2Forganizations');
  assert.not.ok(await isSignedIn(browser));
  await browser.follow(answer);
  const done = await browser.send('/sign-in/second-factor', { code: codeOf(secret, web.now()) });
  assert.is(done.to, '/organizations');
  assert.ok(await isSignedIn(browser));
  assert.is(provider.authorizationParameters.get('client_id'), 'veritrail');
});

test.run();
