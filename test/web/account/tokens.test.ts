import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { formsIn, OWNER, startWeb, type TestBrowser, textOf, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; browser: TestBrowser }>('Your account → API tokens');
const EDITOR = { name: 'Edith', email: 'edith@example.org', password: 'some other long words' };
const PATH = '/settings/tokens';

test.before.each(async (context) => {
  context.web = await startWeb();
  context.browser = await context.web.setUpOwner();
  await context.browser.get(PATH);
});
test.after.each(({ web }) => web.stop());

const tokenNamed = async (web: WebTest, name: string, accountId = web.ownerId) =>
  (await web.tokens.listOfAccount(accountId)).find((token) => token.name === name);

test('creates a token and shows it once, with text to paste', async ({ web, browser }) => {
  const response = await browser.send(PATH, { name: 'Laptop', role: 'AUDITOR', read_only: 'on', days: '30' });
  assert.is(response.status, 200);
  assert.is(response.headers['cache-control'], 'no-store');
  const token = textOf(response.text, 'token');
  assert.match(token, /^vtr_\w{49}$/);
  for (const id of ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'zed', 'mcp-remote', 'curl']) {
    assert.ok(textOf(response.text, id).includes(token), id);
  }
  const record = (await tokenNamed(web, 'Laptop'))!;
  assert.equal([record.role, record.read_only, record.organizations], ['AUDITOR', true, [web.organizationId]]);
  assert.is(Date.parse(record.expires_at) - Date.parse(record.created_at), 30 * 86_400_000);
  const list = await browser.get(PATH);
  assert.not.match(list.text, token);
  assert.match(list.text, `…${token.slice(-4)}`);
  assert.match(list.text, 'Auditor, read only');
});

test('expires after 90 days by default, and warns 14 days ahead', async ({ web, browser }) => {
  await browser.send(PATH, { name: 'Usual' });
  const { expires_at, created_at } = (await tokenNamed(web, 'Usual'))!;
  assert.is(Date.parse(expires_at) - Date.parse(created_at), 90 * 86_400_000);
  await browser.get(PATH);
  await browser.send(PATH, { name: 'Short', days: '15' });
  assert.not.match((await browser.get('/connect')).text, 'that expire soon');
  web.identity.clock.wait(86_400_001 - 60_000);
  await signInAgain(web, browser);
  assert.not.match((await browser.get('/connect')).text, 'that expire soon');
  web.identity.clock.wait(60_000);
  const start = await browser.get(`/organizations/${web.organizationId}`);
  assert.match(start.text, /that expire soon.*Short/s);
  assert.not.match(start.text, /Usual/);
  assert.match((await browser.get(PATH)).text, 'Expires soon');
});

test('creates no second token and shows none when the form is sent again', async ({ web, browser }) => {
  const form = formsIn((await browser.get(PATH)).text).find(({ action }) => action === PATH)!;
  form.fields.set('name', 'Once');
  form.fields.append('organizations', web.organizationId);
  const [first, second] = [await browser.post(PATH, form.fields), await browser.post(PATH, form.fields)];
  assert.equal([first.status, second.status], [200, 400]);
  assert.match(first.text, 'Without a person: decisions wait for a person, the rest is done.');
  assert.match(second.text, 'created its token already');
  assert.not.match(second.text, textOf(first.text, 'token'));
  const created = (await web.tokens.listOfAccount(web.ownerId)).filter(({ name }) => name === 'Once');
  assert.is(created.length, 1);
});

const INVALID_FORMS: [string, Record<string, string | string[]>, RegExp][] = [
  ['no name', { name: ' ' }, /id="name-fault">Name the token/],
  ['a name that is too long', { name: 'x'.repeat(201) }, /id="name-fault"/],
  ['an unknown role', { name: 'T', role: 'KING' }, /id="role-fault">Choose a role/],
  ['two roles', { name: 'T', role: ['OWNER', 'VIEWER'] }, /id="role-fault">This was sent twice/],
  ['no organization', { name: 'T', organizations: [] }, /id="organizations-fault">Choose at least one/],
  [
    'an organization the person doesn’t belong to',
    { name: 'T', organizations: ['org_none'] },
    /class="(fault|notice warning)"/,
  ],
  ['no days', { name: 'T', days: '' }, /id="days-fault">Enter a whole number of days, from 1 to 366/],
  ...['0', '367', '1.5', '-1', '1e1', 'x', '0x10'].map((days): [string, Record<string, string>, RegExp] => [
    `${days} days`,
    { name: 'T', days },
    /id="days-fault"/,
  ]),
];
test('shows errors at their fields, keeps typed values, and creates nothing', async ({ web, browser }) => {
  for (const [problem, fields, fault] of INVALID_FORMS) {
    await browser.get(PATH);
    const before = (await web.tokens.listOfAccount(web.ownerId)).length;
    const response = await browser.send(PATH, { role: 'VIEWER', ...fields });
    assert.is(response.status, 400, problem);
    assert.match(response.text, fault, problem);
    assert.match(response.text, 'role="alert"');
    if (fields.name === 'T') assert.match(response.text, /name="name"[^>]* value="T"/, problem);
    if (fields.role === undefined)
      assert.match(response.text, /<option selected value="VIEWER"|value="VIEWER" selected/, problem);
    assert.is((await web.tokens.listOfAccount(web.ownerId)).length, before, problem);
  }
});

test('refuses a token above the person’s role, or for another person', async ({ web }) => {
  const edith = await web.invite(EDITOR, 'EDITOR');
  const page = await edith.get(PATH);
  assert.match(page.text, /value="EDITOR"/);
  assert.not.match(page.text, /value="(ADMIN|OWNER)"/);
  const response = await edith.send(PATH, { name: 'Above', role: 'OWNER' });
  assert.is(response.status, 400);
  assert.match(response.text, /id="role-fault">/);
  assert.is(await tokenNamed(web, 'Above', (await web.people.accounts.findByEmail(EDITOR.email))!.id), undefined);
});

test('does not reveal whether another organization exists', async ({ web }) => {
  const edith = await web.invite(EDITOR, 'EDITOR');
  const { id: otherOrganizationId } = await web.members.createOrganization('Another', web.ownerId);
  const unknownOrganizationId = otherOrganizationId.replace(/.{8}$/, '00000000');
  const answer = async (page: string, action: string, field: string, id: string) => {
    await edith.get(page);
    const { status, headers, text } = await edith.send(action, { name: 'Mine', [field]: id });
    const notice = /veritrail-notice=\w+\.([\w-]*)/.exec(String(headers['set-cookie']))?.[1] ?? '';
    const visibleText =
      text.replaceAll(/name="(once|form_token)" value="[^"]*"/g, '') + Buffer.from(notice, 'base64url');
    return [status, visibleText.replaceAll(id, 'ORG')] as const;
  };
  const [status, text] = await answer(PATH, PATH, 'organizations', otherOrganizationId);
  assert.is(status, 400);
  assert.match(text, 'not a member of ORG');
  assert.equal(await answer(PATH, PATH, 'organizations', unknownOrganizationId), [status, text]);
  const leave = (id: string) => answer('/settings/account', '/settings/account/leave', 'organization', id);
  assert.match((await leave(otherOrganizationId))[1], 'not a member there');
  assert.equal(await leave(otherOrganizationId), await leave(unknownOrganizationId));
});

test('replaces the token when it is regenerated', async ({ web, browser }) => {
  const before = textOf((await browser.send(PATH, { name: 'Renewed', days: '10' })).text, 'token');
  await browser.get(PATH);
  const { id } = (await tokenNamed(web, 'Renewed'))!;
  const response = await browser.send(`${PATH}/${id}/regenerate`, { days: '366' });
  const after = textOf(response.text, 'token');
  assert.is.not(after, before);
  const hashes = await web.identity.accounts.find('tokens', 'account_id', web.ownerId);
  assert.is(hashes.filter((record) => record.id === id).length, 1);
  assert.is((await tokenNamed(web, 'Renewed'))!.last_four, after.slice(-4));
  await browser.get(PATH);
  const refusal = await browser.send(`${PATH}/${id}/regenerate`, { days: '367' });
  assert.is(refusal.status, 400);
  assert.match(refusal.text, 'from 1 to 366');
});

test('revokes a token for good', async ({ web, browser }) => {
  await browser.send(PATH, { name: 'Lost' });
  await browser.get(PATH);
  const { id } = (await tokenNamed(web, 'Lost'))!;
  const done = await browser.send(`${PATH}/${id}/revoke`);
  assert.is(done.to, PATH);
  const list = await browser.follow(done);
  assert.match(list.text, 'Token revoked. It no longer');
  assert.match(list.text, 'Revoked tokens');
  assert.is((await tokenNamed(web, 'Lost'))!.state, 'REVOKED');
  assert.not.match((await browser.get(PATH)).text, 'Token revoked. It no longer');
});

test('hides another person’s token, and refuses to regenerate or revoke it', async ({ web, browser }) => {
  const edith = await web.invite(EDITOR, 'EDITOR');
  await edith.get(PATH);
  await edith.send(PATH, { name: 'Edith’s own' });
  const { id } = (await tokenNamed(web, 'Edith’s own', (await web.people.accounts.findByEmail(EDITOR.email))!.id))!;
  assert.not.match((await browser.get(PATH)).text, 'Edith’s own');
  const form_token = /name="form_token" value="([^"]+)"/.exec((await browser.get(PATH)).text)![1]!;
  for (const action of ['regenerate', 'revoke']) {
    const refused = await browser.post(`${PATH}/${id}/${action}`, { form_token, days: '10' });
    assert.is(refused.status, 404, action);
    assert.match(refused.text, 'There is no such token');
  }
  assert.is((await web.identity.accounts.get('tokens', id))!.revoked_at, null);
});

test('shows many tokens page by page, in the settings and on the organization’s page', async ({ web, browser }) => {
  const grant = { account_id: web.ownerId, role: 'VIEWER', organizations: [web.organizationId] } as const;
  const names = Array.from({ length: 30 }, (_, index) => `Robot ${String(index).padStart(2, '0')}.`);
  for (const name of names) await web.tokens.create({ ...grant, name }, accountActor(web.ownerId));
  for (const path of [PATH, `/organizations/${web.organizationId}/tokens`]) {
    const first = (await browser.get(path)).text;
    const older = (await browser.get(/href="([^"]+)">Older</.exec(first)![1]!)).text;
    const shownNames = (text: string) => names.filter((name) => text.includes(name));
    assert.equal([...shownNames(first), ...shownNames(older)].sort(), names, 'each once');
    // The list also has the first token of the installation, anywhere in the order.
    assert.ok([24, 25].includes(shownNames(first).length));
    assert.not.match(older, '>Older<');
    assert.is(/href="([^"]+)">Newest</.exec(older)![1], path);
    for (const invalidQuery of ['from=31', 'from=-1', 'from=x']) {
      assert.equal(shownNames((await browser.get(`${path}?${invalidQuery}`)).text), shownNames(first), invalidQuery);
    }
  }
});

test('explains an empty page to a person without organizations', async ({ web }) => {
  const edith = await web.invite(EDITOR, 'EDITOR');
  const { id } = (await web.people.accounts.findByEmail(EDITOR.email))!;
  await web.members.remove(web.organizationId, id, accountActor(web.ownerId));
  assert.match((await edith.get(PATH)).text, 'not a member of any organization');
  assert.match((await edith.follow(await edith.get('/'))).text, 'not a member of any organization');
  assert.is((await edith.get(`/organizations/${web.organizationId}`)).status, 404);
});

async function signInAgain(web: WebTest, browser: TestBrowser): Promise<void> {
  browser.cookies.clear();
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', OWNER)).status, 303, web.url);
}

test.run();
