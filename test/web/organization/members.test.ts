import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Authenticator } from '../../../src/identity/tokens/authenticator.ts';
import { CLIENT_INFO } from '../../support/identity/people.ts';
import { OWNER, startWeb, type TestBrowser, textOf, type WebTest, withoutFormTokens } from '../../support/web/web.ts';

const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };
const BOB = { name: 'Bob', email: 'bob@example.org', password: 'sends many messages' };

const test = suite<{ web: WebTest; owner: TestBrowser; page: string }>('members page');

test.before.each(async (context) => {
  context.web = await startWeb(undefined, { openId: true });
  context.owner = await context.web.setUpOwner();
  context.page = `/organizations/${context.web.organizationId}/members`;
});
test.after.each(({ web }) => web.stop());

/** Returns the members' roles by name. The first owner is listed as Ada, whatever name the account has. */
const rolesIn = async ({ members, organizationId, ownerId }: WebTest) => {
  const all = await members.membersOf(organizationId);
  return Object.fromEntries(all.map(({ account_id, name, role }) => [account_id === ownerId ? 'Ada' : name, role]));
};

const idOf = async ({ members, organizationId }: WebTest, wantedName: string) =>
  (await members.membersOf(organizationId)).find(({ name }) => name === wantedName)!.account_id;

/** Returns what a page says, without its markup. */
const plainText = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

test('shows an invitation link once, and makes its reader a member', async ({ web, owner, page }) => {
  await owner.get(page);
  const response = await owner.send(`${page}/invite`, { role: 'EDITOR', note: 'for Eve' });
  assert.is(response.status, 200);
  const link = textOf(response.text, 'invitation');
  assert.ok(link.startsWith(`${web.baseUrl}/welcome?key=`));
  const membersPage = (await owner.get(page)).text;
  assert.match(membersPage, 'for Eve');
  assert.not.match(membersPage, link.split('=')[1]!);

  const guest = web.browser();
  await guest.get(link.slice(web.baseUrl.length));
  assert.is((await guest.send('/welcome/new', EVE)).status, 303);
  assert.equal(await rolesIn(web), { Ada: 'OWNER', Eve: 'EDITOR' });
  assert.not.match((await owner.get(page)).text, 'for Eve');
});

test('invites in a role chosen on purpose, and names it on the page with the link', async ({ web, owner, page }) => {
  await owner.get(page);
  const unchosen = await owner.send(`${page}/invite`, { note: 'Lead auditor' });
  assert.is(unchosen.status, 400);
  assert.match(unchosen.text, '<a href="#role">Choose a role.</a>');
  assert.equal(await web.people.links.list(web.organizationId), []);
  const invited = await owner.send(`${page}/invite`, { role: 'AUDITOR', until: '2026-12-31' });
  const words = invited.text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  assert.match(words, 'Auditor link for Lead auditor. The person who opens it becomes Auditor of My organization.');
  assert.match(words, 'Their access ends on 31 Dec 2026.');
  const classes = ({ text }: { text: string }) => /<button type="button"([^>]*) data-copy/.exec(text)![1];
  assert.equal([classes(invited), invited.text.includes('class="button"')], ['', false], 'Copy is the main button');
});

test('refuses a withdrawn invitation', async ({ web, owner, page }) => {
  await owner.get(page);
  const link = textOf((await owner.send(`${page}/invite`, { role: 'OWNER' })).text, 'invitation');
  await owner.get(page);
  assert.is((await owner.send(`${page}/withdraw`)).to, page);
  assert.is((await web.browser().get(link.slice(web.baseUrl.length))).status, 404);
  assert.not.match((await owner.get(page)).text, /Open invitations/);
  assert.equal(
    web.linkEvents.slice(-2).map(({ type, by, clientInfo }) => [type, by, clientInfo?.address]),
    [
      ['ACCOUNT_LINK_CREATED', web.ownerId, '127.0.0.1'],
      ['ACCOUNT_LINK_REVOKED', web.ownerId, '127.0.0.1'],
    ],
  );
});

test('lets an owner change a role and remove a member, with a reason', async ({ web, owner, page }) => {
  await web.invite(EVE, 'VIEWER');
  const eve = `${page}/${await idOf(web, 'Eve')}`;
  await owner.get(eve);
  const answer = await owner.send(`${eve}/role`, { role: 'ADMIN', reason: 'took over from Bob' });
  assert.match((await owner.follow(answer)).text, 'Eve now has the role Admin.');
  assert.is((await rolesIn(web)).Eve, 'ADMIN');
  await owner.get(eve);
  assert.is((await owner.send(`${eve}/remove`, { reason: 'left the company' })).to, page);
  assert.equal(await rolesIn(web), { Ada: 'OWNER' });
  assert.is((await owner.get(eve)).status, 404);
});

test('shows what a member owns before the removal, and hands it over with what is finished left alone', async (context) => {
  const { web, owner, page } = context;
  const { organizationId: organization_id } = web;
  await web.invite(EVE, 'EDITOR');
  const [eve, ada] = [await idOf(web, 'Eve'), web.ownerId];
  const add = (tool: string, fields: object) => web.call(tool, { organization_id, owner_id: eve, ...fields });
  await add('addVendor', { name: 'Nimbus' });
  await add('addVendor', { name: 'Harbour', status: 'OFFBOARDED', reason: 'r' });
  await add('addRisk', { name: 'Flood' });
  const ownersOf = async (tool: string) => {
    const answer = await web.call<Record<string, { name: string; owner: string }[]>>(tool, { organization_id });
    return Object.fromEntries(
      Object.values(answer)
        .find(Array.isArray)!
        .map(({ name, owner }) => [name, owner]),
    );
  };
  const member = plainText((await owner.get(`${page}/${eve}`)).text);
  assert.match(member, /Eve owns 3 records, and stays their owner after the removal\./);
  assert.match(member, /Risks: 1\s+Vendors: 2/);

  const handOver = `${page}/${eve}/hand-over`;
  await owner.get(handOver);
  const plan = await owner.send(handOver, { owner_id: ada });
  assert.match(plainText(plan.text), /Flood\s+Owner Eve → Ada.*Nimbus\s+Owner Eve → Ada.*Hand over: 2 records/s);
  assert.equal(await ownersOf('listRisks'), { Flood: 'Eve' }, 'nothing has changed yet');
  const { text } = await owner.follow(await owner.send(handOver, { owner_id: ada }));
  assert.match(plainText(text), 'Done: Hand over · 2 records.');
  assert.is(text.match(/<form method="post" action="[^"]*\/undo\//g)?.length, 2, 'one for each family');
  const { Harbour, Nimbus } = await ownersOf('listVendors');
  assert.equal([Harbour, Nimbus !== 'Eve'], ['Eve', true]);
  const again = await owner.get(handOver);
  assert.match(plainText(again.text), 'Nothing to hand over: they own no record that is unfinished.');

  await owner.get(`${page}/${eve}`);
  const removed = await owner.send(`${page}/${eve}/remove`);
  assert.is(removed.to, handOver);
  const left = plainText((await owner.follow(removed)).text);
  assert.match(left, 'Eve is no longer a member. 1 record still names them as the owner.');
  assert.match(left, 'Eve owns 1 record.');
  const list = plainText((await owner.get(page)).text);
  assert.match(list, /Former members who still own records .* Eve 1 Hand over/);
  assert.is((await owner.get(`${page}/${organization_id}/hand-over`)).status, 404);
});

test('signs a member out everywhere for an owner: their sessions end at once, their tokens stay', async ({
  web,
  owner,
  page,
}) => {
  const [eve, bob] = [await web.invite(EVE, 'EDITOR'), await web.invite(BOB, 'EDITOR')];
  const id = await idOf(web, 'Eve');
  const grant = { account_id: id, role: 'VIEWER', organizations: [web.organizationId] } as const;
  const { token } = await web.tokens.create({ name: 'Laptop', ...grant });
  const elsewhere = await web.people.signIn.withVerifiedAccount(
    (await web.people.accounts.get(id))!,
    'LINK',
    CLIENT_INFO,
  );
  assert.is((await eve.get(page)).status, 200);
  await owner.get(`${page}/${id}`);
  const answer = await owner.send(`${page}/${id}/sessions/end`);
  assert.match((await owner.follow(answer)).text, 'Eve is signed out in all browsers.');
  assert.match((await eve.get(page)).to!, '/sign-in');
  assert.is(await web.people.sessions.find(elsewhere.cookie), null);
  assert.is((await bob.get(page)).status, 200);
  assert.is((await owner.get(page)).status, 200);
  const caller = await new Authenticator(web.identity).authenticate(token);
  assert.is(caller?.roles.get(web.organizationId), 'VIEWER');
  const by = { actor_id: web.ownerId, organization_id: web.organizationId };
  const { type, account_id, ...event } = web.accountEvents.at(-1)!;
  assert.equal([type, account_id], ['SESSIONS_ENDED', id]);
  assert.equal('by' in event && event.by, by);
  assert.not.match((await owner.get(`${page}/${web.ownerId}`)).text, 'sessions/end', 'own ones are under Security');
});

test('gives an invited person access until a day, which an owner can move', async ({ web, owner, page }) => {
  assert.not.match((await owner.get(page)).text, '<th scope="col">Access</th>');
  const past = await owner.send(`${page}/invite`, { role: 'AUDITOR', until: '2026-02-28' });
  assert.is(past.status, 400);
  assert.match(past.text, 'The access would have ended already');
  await owner.get(page);
  assert.match((await owner.send(`${page}/invite`, { role: 'OWNER', until: '2026-03-31' })).text, 'Owner has no end');
  await owner.get(page);
  const invited = await owner.send(`${page}/invite`, { role: 'AUDITOR', until: '2026-03-01' });
  assert.match(invited.text, /Their access ends on <time[^>]*>1 Mar 2026</);
  assert.match((await owner.get(page)).text, /until <time[^>]*>1 Mar 2026</);

  const guest = web.browser();
  await guest.get(textOf(invited.text, 'invitation').slice(web.baseUrl.length));
  await guest.send('/welcome/new', EVE);
  const organization = `/organizations/${web.organizationId}`;
  assert.is((await guest.get(`${organization}/audits`)).status, 200);
  assert.match((await owner.get(page)).text, /until <time dateTime="2026-03-01T23:59:59.999Z"[^>]*>1 Mar 2026</i);

  const eve = `${page}/${await idOf(web, 'Eve')}`;
  await owner.get(eve);
  await owner.send(`${eve}/access`, { until: '2026-03-01T09:30:00Z', reason: 'shorter' });
  web.identity.clock.wait(30 * 60_000 + 1);
  assert.is((await guest.get(`${organization}/audits`)).status, 404);
  assert.not.match((await guest.get('/organizations')).text, web.organizationId);
  const { text } = await owner.get(page);
  assert.match(text, /Ended <time[^>]*>1 Mar 2026, 09:30 UTC</);
  assert.match(text, '1 member, 1 ended');
  await owner.get('/settings/security/confirm');
  await owner.send('/settings/security/confirm', { current: OWNER.password });
  assert.match((await owner.get(eve)).text, 'they have access again, but');
  await owner.send(`${eve}/access`, { until: '' });
  assert.is((await guest.get(`${organization}/audits`)).status, 200);
});

test('keeps the last owner, and says what to do first', async ({ web, owner, page }) => {
  const self = `${page}/${web.ownerId}`;
  for (const [action, fields] of [
    ['role', { role: 'VIEWER' }],
    ['remove', {}],
  ] as const) {
    const html = (await owner.get(self)).text;
    assert.not.match(html, `${self}/${action}`);
    assert.match(html, 'give another member the role Owner first');
    const { status, text } = await owner.force(`${self}/${action}`, fields);
    assert.is(status, 400, action);
    assert.match(text, 'Make another member Owner first');
  }
  assert.is((await rolesIn(web)).Ada, 'OWNER');
});

test('lets only an owner with a verified address of a domain admit it', async ({ web, owner, page }) => {
  await owner.get(page);
  const { text } = await owner.get(page);
  assert.match(text, 'first connect the provider');
  assert.not.match(text, `action="${page}/domains"`);
  const unconfirmed = await owner.force(`${page}/domains`, { domain: 'Example.org', domain_role: 'AUDITOR' });
  assert.match((await owner.follow(unconfirmed)).text, 'Only an Owner who has signed in with the provider');
  await web.members.domains.recordVouchedDomain(web.ownerId, 'example.org');
  await owner.get(page);
  const unchosen = await owner.send(`${page}/domains`, { domain: 'Example.org' });
  assert.match((await owner.follow(unchosen)).text, 'Choose a role.');
  const done = await owner.send(`${page}/domains`, { domain: 'Example.org', domain_role: 'AUDITOR' });
  assert.match((await owner.follow(done)).text, 'example.org');
  assert.equal(await web.members.domains.list(web.organizationId), [{ domain: 'example.org', role: 'AUDITOR' }]);
  await owner.send(`${page}/domains/withdraw`);
  assert.equal(await web.members.domains.list(web.organizationId), []);
  await owner.get(page);
  const refusal = await owner.send(`${page}/domains`, { domain: 'no domain', domain_role: 'EDITOR' });
  assert.match((await owner.follow(refusal)).text, 'Enter a domain, the part of an address after the @');
});

test('shows the members to a member, who cannot change them', async ({ web, owner, page }) => {
  const admin = await web.invite(BOB, 'ADMIN');
  const html = (await admin.get(page)).text;
  assert.match(html, '2 members');
  assert.not.match(html, OWNER.email);
  assert.not.match(html, /<form method="post" action="\/organizations/);
  const token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  const ownerPage = `${page}/${web.ownerId}`;
  assert.is((await admin.get(ownerPage)).status, 403);
  for (const [path, fields] of [
    [`${page}/invite`, { role: 'OWNER' }],
    [`${page}/withdraw`, { invitation: 'x' }],
    [`${page}/domains`, { domain: 'evil.example', domain_role: 'ADMIN' }],
    [`${page}/domains/withdraw`, { domain: 'evil.example' }],
    [`${ownerPage}/role`, { role: 'VIEWER' }],
    [`${ownerPage}/remove`, {}],
  ] as const) {
    assert.is((await admin.post(path, { form_token: token, ...fields })).status, 403, path);
  }
  assert.equal(await rolesIn(web), { Ada: 'OWNER', Bob: 'ADMIN' });
  assert.match((await owner.get(page)).text, BOB.email);
});

test('hides an organization from non-members', async ({ web, page }) => {
  const eve = await web.invite(EVE, 'VIEWER');
  const id = await idOf(web, 'Eve');
  await web.members.leave(web.organizationId, id);
  const answer = await eve.get(page);
  const other = await eve.get('/organizations/org_00000000000000000000000000/members');
  assert.is(answer.status, 404);
  assert.is(withoutFormTokens(answer.text).replace(page, ''), withoutFormTokens(other.text).replace(page, ''));
});

test.run();
