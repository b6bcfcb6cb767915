import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewOneTimeLink } from '../../../src/identity/accounts/one-time-links.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { OWNER, startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest }>('links');
const GUEST = { name: 'Grace', email: 'grace@example.org', password: 'nanoseconds in a wire' };

test.before.each(async (context) => {
  context.web = await startWeb();
});
test.after.each(({ web }) => web.stop());

async function link(web: WebTest, kind: 'INVITATION' | 'RESET', accountId = web.ownerId): Promise<string> {
  const newLink: NewOneTimeLink =
    kind === 'RESET'
      ? { kind, account_id: accountId, made_by: 'SYSTEM' }
      : { kind, organization_id: web.organizationId, role: 'EDITOR', made_by: web.ownerId };
  return `/welcome?key=${(await web.people.links.create(newLink)).secret}`;
}

const signedInAs = async (browser: TestBrowser, name: string) => {
  const { text } = await browser.get('/connect');
  return text.includes('Sign out') && text.includes(name);
};

test('lets the first owner choose name, address and password, once', async ({ web }) => {
  const secret = (await web.people.setupLink(web.installation))!;
  const browser = web.browser();
  const page = await browser.get(`/welcome?key=${secret}`);
  assert.match(page.text, 'Set up your account');
  const done = await browser.send('/welcome/new', OWNER);
  assert.is(done.to, '/');
  assert.ok(await signedInAs(browser, OWNER.name));
  const used = await web.browser().get(`/welcome?key=${secret}`);
  assert.is(used.status, 404);
  assert.match(used.text, '<h1>This link no longer works</h1>');
  assert.match(used.text, 'This link was used, was revoked or has expired. Ask for another.');
  assert.match(used.text, 'href="/sign-in"');
  assert.match((await browser.get(`/welcome?key=${secret}`)).text, 'Go to the home page');
});

test('shows errors at their fields and keeps typed values, except passwords', async ({ web }) => {
  const secret = (await web.people.setupLink(web.installation))!;
  const browser = web.browser();
  await browser.get(`/welcome?key=${secret}`);
  for (const [fields, fault] of [
    [{ ...OWNER, name: ' ' }, /id="name-fault">Enter your name/],
    [{ ...OWNER, email: 'nobody' }, /id="email-fault">/],
    [{ ...OWNER, password: 'shortshort1' }, /id="password-fault">Choose a password of 12 to 200/],
    [{ ...OWNER, password: '' }, /id="password-fault">Choose a password/],
    [{ ...OWNER, password: 'password2026' }, /id="password-fault">/],
  ] as const) {
    const response = await browser.send('/welcome/new', fields);
    assert.is(response.status, 400);
    assert.match(response.text, fault);
    assert.match(response.text, /aria-invalid="true"/);
    if (fields.email === OWNER.email) assert.match(response.text, /value="ada@example.org"/);
    if (fields.password !== '') assert.not.match(response.text, fields.password);
  }
  assert.is((await browser.send('/welcome/new', OWNER)).to, '/');
});

test('creates an account for a new person with an invitation', async ({ web }) => {
  await web.setUpOwner();
  const path = await link(web, 'INVITATION');
  const browser = web.browser();
  const page = await browser.get(path);
  assert.match(page.text, 'Join My organization');
  assert.match(page.text, 'Editor: ');
  assert.is((await browser.send('/welcome/new', GUEST)).to, '/');
  assert.ok(await signedInAs(browser, 'Grace'));
  const members = await web.members.membersOf(web.organizationId);
  assert.equal(
    members.map(({ name, role }) => [name, role]),
    [
      [OWNER.name, 'OWNER'],
      ['Grace', 'EDITOR'],
    ],
  );
  assert.is((await web.browser().get(path)).status, 404);
});

test('asks a person whose address has an account to sign in, and keeps the invitation for that account only', async ({
  web,
}) => {
  const owner = await web.setUpOwner();
  const leave = async (email: string) =>
    web.members.leave(web.organizationId, (await web.people.accounts.findByEmail(email))!.id);
  const [holder, other] = [
    { ...GUEST, email: 'holder@example.org', name: 'Holder' },
    { ...GUEST, email: 'other@example.org' },
  ];
  await web.invite(holder, 'VIEWER');
  await leave(holder.email);
  const otherBrowser = await web.invite(other, 'VIEWER');
  await leave(other.email);
  const path = await link(web, 'INVITATION');
  const browser = web.browser();
  await browser.get(path);
  const response = await browser.send('/welcome/new', { ...GUEST, email: holder.email });
  assert.is(response.status, 400);
  assert.match(response.text, 'Sign in to accept it');
  assert.match(response.text.replaceAll(/\s+/g, ' '), 'If that is not you, ask for a new link.');
  assert.not.match(response.text, 'name="email"');
  const { text } = await otherBrowser.get(path);
  assert.match(text, 'this invitation is for another account');
  assert.match(text.replaceAll(/\s+/g, ' '), 'ask for a new link');
  assert.not.match(text, 'action="/welcome/accept"');
  const members = (await owner.get(`/organizations/${web.organizationId}/members`)).text;
  assert.match(members, />Used up</);
  assert.not.match(members, holder.email, 'the inviter does not learn the address');
});

test('keeps an invitation open when somebody enters a member’s address', async ({ web }) => {
  const owner = await web.setUpOwner();
  const path = await link(web, 'INVITATION');
  const browser = web.browser();
  await browser.get(path);
  const response = await browser.send('/welcome/new', { ...GUEST, email: OWNER.email });
  assert.equal([response.status, response.text.includes('name="email"')], [400, true]);
  assert.match(response.text, 'An account with this e-mail address exists. Sign in with it.');
  assert.not.match((await owner.get(`/organizations/${web.organizationId}/members`)).text, />Used up</);
  assert.is((await browser.send('/welcome/new', GUEST)).status, 303);
});

test('lets a person with an account sign in and then accept', async ({ web }) => {
  const owner = await web.setUpOwner();
  await web.invite(GUEST, 'VIEWER');
  const other = await web.members.createOrganization('Other', web.ownerId);
  const invitation = { kind: 'INVITATION', organization_id: other.id, role: 'AUDITOR', made_by: web.ownerId } as const;
  const path = `/welcome?key=${(await web.people.links.create(invitation)).secret}`;
  const browser = web.browser();
  const page = await browser.get(path);
  const signIn = /href="(\/sign-in\?next=[^"]+)"/.exec(page.text)![1]!;
  await browser.get(signIn);
  const response = await browser.send('/sign-in', GUEST);
  assert.is(response.to, path);
  const acceptPage = await browser.follow(response);
  assert.match(acceptPage.text, /signed in as <strong>Grace/);
  const done = await browser.send('/welcome/accept');
  assert.is(done.to, `/organizations/${other.id}`);
  assert.match((await browser.follow(done)).text, 'You are now a member of Other.');
  assert.is(
    (await web.members.rolesOf((await web.people.accounts.findByEmail(GUEST.email))!.id)).get(other.id),
    'AUDITOR',
  );
  assert.is((await owner.get(path)).status, 404);
});

test('offers no acceptance to a member of the organization', async ({ web }) => {
  const owner = await web.setUpOwner();
  const { text } = await owner.get(await link(web, 'INVITATION'));
  assert.match(text, 'already a member');
  assert.not.match(text, 'Accept the invitation');
});

test('refuses an invitation whose sender may no longer invite', async ({ web }) => {
  await web.setUpOwner();
  await web.invite(GUEST, 'OWNER');
  const grace = (await web.people.accounts.findByEmail(GUEST.email))!;
  const invitation = {
    kind: 'INVITATION',
    organization_id: web.organizationId,
    role: 'ADMIN',
    made_by: grace.id,
  } as const;
  const { secret } = await web.people.links.create(invitation);
  await web.members.changeRole(web.organizationId, grace.id, 'VIEWER', accountActor(web.ownerId));
  const browser = web.browser();
  assert.is((await browser.get(`/welcome?key=${secret}`)).status, 404);
  await browser.get('/sign-in');
  const response = await browser.force('/welcome/new', { key: secret, ...GUEST, email: 'new@example.org' });
  assert.is(response.status, 404);
  assert.is(await web.people.accounts.findByEmail('new@example.org'), null);
});

test('signs out all other browsers after a password reset', async ({ web }) => {
  const before = await web.setUpOwner();
  const path = await link(web, 'RESET');
  const browser = web.browser();
  assert.match((await browser.get(path)).text, OWNER.email);
  const refusal = await browser.send('/welcome/reset', { password: 'x' });
  assert.is(refusal.status, 400);
  assert.match(refusal.text, /id="password-fault"/);
  const done = await browser.send('/welcome/reset', { password: 'entirely new words' });
  assert.is(done.to, '/settings/security/credentials');
  assert.match((await browser.follow(done)).text, 'A new password does not stop them');
  assert.ok(await signedInAs(browser, OWNER.name));
  assert.not.ok(await signedInAs(before, OWNER.name));
  const otherBrowser = web.browser();
  await otherBrowser.get('/sign-in');
  assert.is((await otherBrowser.send('/sign-in', OWNER)).status, 400);
});

test('refuses a missing, wrong or expired link with the same message', async ({ web }) => {
  await web.setUpOwner();
  const expiredPath = await link(web, 'RESET');
  web.identity.clock.wait(61 * 60_000);
  const texts = new Set<string>();
  for (const path of [
    expiredPath,
    '/welcome',
    '/welcome?key=',
    '/welcome?key=wrong',
    `/welcome?key=${'a'.repeat(43)}`,
  ]) {
    const { status, text } = await web.browser().get(path);
    assert.is(status, 404, path);
    texts.add(text);
  }
  assert.is(texts.size, 1);
});

test('refuses the key of another kind of link', async ({ web }) => {
  await web.setUpOwner();
  const browser = web.browser();
  await browser.get(await link(web, 'INVITATION'));
  const key = (await link(web, 'RESET')).split('=')[1]!;
  const response = await browser.send('/welcome/new', { ...GUEST, key });
  assert.is(response.status, 400);
  assert.is(await web.people.accounts.findByEmail(GUEST.email), null);
});

test.run();
