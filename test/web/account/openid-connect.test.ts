/** Connecting an account to an OpenID provider, and disconnecting it. */

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
import { CLIENT_INFO } from '../../support/identity/people.ts';
import { OWNER } from '../../support/web/web.ts';

const test = openIdSuite('connecting a provider');

test('asks for reauthentication before connecting and disconnecting, and again on return', async ({ web }) => {
  const owner = await web.setUpOwner();
  web.identity.clock.wait(9 * 60_000);
  await owner.get('/settings/security');
  const address = await startProviderSignIn(owner, '/settings/security/provider');
  web.identity.clock.wait(7 * 60_000);
  assert.match(
    await warningAfter(owner, await owner.get(await callbackPath(address))),
    'You signed in more than 15 minutes ago',
  );
  await owner.get('/settings/security');
  assert.match(String((await owner.send('/settings/security/provider')).to), '/settings/security/confirm?');
  assert.not.ok((await web.people.accounts.get(web.ownerId))!.subject);
  await owner.get('/settings/security/confirm');
  await owner.send('/settings/security/confirm', { current: OWNER.password });
  await signInWithProvider(owner, '/settings/security', '/settings/security/provider');
  assert.ok((await web.people.accounts.get(web.ownerId))!.subject);
  web.identity.clock.wait(16 * 60_000);
  await owner.get('/settings/security');
  assert.match(String((await owner.send('/settings/security/provider/remove')).to), '/settings/security/confirm?');
  assert.ok((await web.people.accounts.get(web.ownerId))!.subject);
});

test('refuses a provider identity that belongs to another account, and never replaces a connected one', async ({
  web,
  provider,
}) => {
  const owner = await web.setUpOwner();
  const eve = await web.invite({ name: 'Eve', email: 'eve@example.org', password: 'listens at every door' }, 'VIEWER');
  await signInWithProvider(owner, '/settings/security', '/settings/security/provider');
  const second = await signInWithProvider(eve, '/settings/security', '/settings/security/provider');
  assert.match(await warningAfter(eve, second), 'connected to another account here');
  await eve.get('/settings/security');
  const address = await startProviderSignIn(eve, '/settings/security/provider');
  const { subject } = (await web.people.accounts.get(web.ownerId))!;
  const { id } = (await web.people.accounts.findByEmail('eve@example.org'))!;
  await web.identity.accounts.update('accounts', id, { subject: 'elsewhere eve' });
  provider.person = { ...BOB, sub: 'bob-2' };
  assert.match(await warningAfter(eve, await eve.get(await callbackPath(address))), 'Disconnect that first');
  assert.is((await web.people.accounts.get(web.ownerId))!.subject, subject);
});

test('does not connect if another person signed in meanwhile', async ({ web }) => {
  const owner = await web.setUpOwner();
  await owner.get('/settings/security');
  const address = await startProviderSignIn(owner, '/settings/security/provider');
  const eve = await web.invite({ name: 'Eve', email: 'eve@example.org', password: 'listens at every door' }, 'VIEWER');
  owner.cookies.set('veritrail', eve.cookies.get('veritrail')!);
  assert.match(
    await warningAfter(owner, await owner.get(await callbackPath(address))),
    'no longer signed in as the same person',
  );
  const accounts = await web.identity.accounts.all('accounts');
  assert.equal(accounts.map(({ email, subject }) => [email, subject ?? null]).sort(), [
    ['ada@example.org', null],
    ['eve@example.org', null],
  ]);
});

test('refuses to disconnect an account that has no password', async ({ web, provider }) => {
  await web.setUpOwner();
  const actor = accountActor(web.ownerId);
  await web.members.domains.recordVouchedDomain(web.ownerId, 'example.org');
  await web.members.domains.admit(web.organizationId, 'example.org', 'VIEWER', actor);
  const browser = web.browser();
  await signInWithProvider(browser);
  const { text } = await browser.get('/settings/security');
  assert.match(text, 'set a password first');
  const session = (await web.people.sessions.list((await web.people.accounts.findByEmail(BOB.email))!.id))[0]!;
  const refusal = await web.openId!.disconnect(session, CLIENT_INFO).catch((error: Error) => error.message);
  assert.match(String(refusal), 'Set a password first');
  assert.ok(await web.people.accounts.findBySubject(`${provider.issuer} bob-1`));
});

test.run();
