/** Links that owners create for members who have no password or forgot it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { CLIENT_INFO, codeOf } from '../../support/identity/people.ts';
import {
  formsIn,
  type PageAnswer,
  startWeb,
  type TestBrowser,
  textOf,
  unescapeHtml,
  type WebTest,
} from '../../support/web/web.ts';

const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };
const BOB = { name: 'Bob', email: 'bob@example.org', password: 'sends many messages' };
const NEXT = 'entirely other words';

const test = suite<{ web: WebTest; owner: TestBrowser; members: string }>('account links');

test.before.each(async (context) => {
  context.web = await startWeb();
  context.owner = await context.web.setUpOwner();
  context.members = `/organizations/${context.web.organizationId}/members`;
});
test.after.each(({ web }) => web.stop());

const idOf = async (web: WebTest, { email }: typeof EVE) => (await web.people.accounts.findByEmail(email))!.id;
const offersForm = ({ text }: PageAnswer, action: string) => formsIn(text).some((form) => form.action === action);

/** Creates a link for a member, as an owner does, and returns its path. */
async function linkFor(web: WebTest, owner: TestBrowser, member: string): Promise<string> {
  await owner.get(member);
  const response = await owner.send(`${member}/link`);
  assert.is(response.status, 200, response.text);
  return textOf(response.text, 'account-link').slice(web.baseUrl.length);
}

test('lets a member choose a new password once, and keeps their second factor', async ({ web, owner, members }) => {
  const before = await web.invite(EVE, 'EDITOR');
  const eve = await idOf(web, EVE);
  const session = (await web.people.sessions.list(eve))[0]!;
  const { secret } = await web.people.totp.enrol(session);
  await web.people.totp.add(session, codeOf(secret, web.now()), CLIENT_INFO);
  const path = await linkFor(web, owner, `${members}/${eve}`);
  const [link] = await web.identity.accounts.find('links', 'account_id', eve);
  assert.equal([link!.kind, link!.made_by], ['RESET', web.ownerId]);
  assert.is(Date.parse(String(link!.expires_at)) - Date.parse(String(link!.created_at)), 3_600_000);
  const browser = web.browser();
  assert.match((await browser.get(path)).text, EVE.email);
  const done = await browser.send('/welcome/reset', { password: NEXT });
  assert.match(done.to!, '/sign-in/second-factor');
  assert.is((await before.get('/settings/security')).status, 303, 'signed out');
  assert.is((await web.browser().get(path)).status, 404, 'it works once');
});

test('lets a member without an e-mail address choose one', async ({ web, owner, members }) => {
  const id = 'acc_00000000000000000000000042';
  await web.identity.accounts.insert('accounts', { id, name: 'Demo Dora', organizations: [], created_at: '' });
  await web.members.add(web.organizationId, id, 'EDITOR', accountActor(web.ownerId));
  const browser = web.browser();
  await browser.get(await linkFor(web, owner, `${members}/${id}`));
  assert.is((await browser.send('/welcome/new', { ...EVE, name: 'Demo Dora' })).status, 303);
  assert.is((await web.people.accounts.get(id))!.email, EVE.email);
});

test('refuses a link for other organizations’ members, accounts with a provider, oneself, and non-members', async ({
  web,
  owner,
  members,
}) => {
  await web.invite(EVE, 'OWNER');
  await web.invite(BOB, 'VIEWER');
  const [eve, bob] = [await idOf(web, EVE), await idOf(web, BOB)];
  const { accountLinks } = web.people;
  const { id: otherOrganization } = await web.members.createOrganization('Of Eve alone', eve);
  await web.members.add(otherOrganization, bob, 'VIEWER', accountActor(eve));
  const assertRefused = async (account: string, message: string) => {
    const response = await owner.get(`${members}/${account}`);
    assert.not.ok(offersForm(response, `${members}/${account}/link`));
    const forced = await owner.force(`${members}/${account}/link`);
    assert.is(forced.status, 400);
    assert.match(unescapeHtml(forced.text), message);
  };
  await assertRefused(bob, 'a member of an organization that you do not own');
  await assertRefused(eve, 'a member of an organization that you do not own');
  await assertRefused(web.ownerId, 'Change your own password');
  await web.members.leave(otherOrganization, bob);
  await linkFor(web, owner, `${members}/${bob}`);
  await web.identity.accounts.update('accounts', bob, { subject: 'https://id.example.org bob' });
  await assertRefused(bob, 'signs in with a provider');
  await web.identity.accounts.update('accounts', bob, { subject: null });
  await web.members.leave(web.organizationId, bob);
  assert.ok(
    await accountLinks.refusalReason((await web.people.accounts.get(bob))!, web.ownerId),
    'who is in none is of nobody',
  );
  assert.is(await accountLinks.refusalReason((await web.people.accounts.get(bob))!, 'SYSTEM'), null);
  assert.equal((await web.identity.accounts.find('links', 'account_id', eve)).length, 0);
});

test('refuses a link for somebody whose membership elsewhere has ended', async ({ web, owner, members }) => {
  await web.invite(EVE, 'OWNER');
  await web.invite(BOB, 'VIEWER');
  const [eve, bob] = [await idOf(web, EVE), await idOf(web, BOB)];
  const elsewhere = await web.members.createOrganization('Of Eve alone', eve);
  const until = new Date(web.now().getTime() + 60_000).toISOString();
  await web.members.add(elsewhere.id, bob, 'AUDITOR', accountActor(eve), until);
  web.identity.clock.wait(120_000);
  assert.equal(
    (await web.members.organizationsOf(bob)).map(({ id }) => id),
    [web.organizationId],
  );
  assert.not.ok(offersForm(await owner.get(`${members}/${bob}`), `${members}/${bob}/link`));
  const forced = await owner.force(`${members}/${bob}/link`);
  assert.is(forced.status, 400);
  assert.match(unescapeHtml(forced.text), 'a member of an organization that you do not own');
});

test('refuses a link once its creator could no longer create it', async ({ web, owner, members }) => {
  await web.invite(EVE, 'OWNER');
  await web.invite(BOB, 'VIEWER');
  const [eve, bob] = [await idOf(web, EVE), await idOf(web, BOB)];
  const path = await linkFor(web, owner, `${members}/${bob}`);
  const browser = web.browser();
  assert.is((await browser.get(path)).status, 200);
  const { id: otherOrganization } = await web.members.createOrganization('Of Eve alone', eve);
  await web.members.add(otherOrganization, bob, 'VIEWER', accountActor(eve));
  assert.is((await browser.send('/welcome/reset', { password: NEXT })).status, 404);
  assert.is((await browser.get(path)).status, 404);
  await web.members.leave(otherOrganization, bob);
  assert.is((await browser.get(path)).status, 200);
  await web.members.changeRole(web.organizationId, web.ownerId, 'ADMIN', accountActor(eve));
  assert.is((await browser.get(path)).status, 404);
});

test('refuses a link if its creator loses the right while the new password is hashed', async ({
  web,
  owner,
  members,
}) => {
  await web.invite(EVE, 'OWNER');
  await web.invite(BOB, 'VIEWER');
  const [eve, bob] = [await idOf(web, EVE), await idOf(web, BOB)];
  const { id: otherOrganization } = await web.members.createOrganization('Of Eve alone', eve);
  const path = await linkFor(web, owner, `${members}/${bob}`);
  const before = (await web.people.accounts.get(bob))!.password;
  const passwords = web.people.passwords as unknown as { hash(password: string): Promise<string> };
  const hash = passwords.hash.bind(passwords);
  passwords.hash = async (password) => {
    await web.members.add(otherOrganization, bob, 'VIEWER', accountActor(eve));
    return hash(password);
  };
  const browser = web.browser();
  await browser.get(path);
  const answer = await browser.send('/welcome/reset', { password: NEXT });
  assert.is(answer.status, 400);
  assert.match(unescapeHtml(answer.text), 'This link was used, was revoked or has expired');
  assert.is((await web.people.accounts.get(bob))!.password, before);
});

test.run();
