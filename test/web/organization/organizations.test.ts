import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { MAX_OWNED_ORGANIZATIONS } from '../../../src/identity/memberships/members.ts';
import { startWeb, type TestBrowser, type WebTest, withoutFormTokens } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; owner: TestBrowser }>('organizations');
const VIEWER = { name: 'Vera', email: 'vera@example.org', password: 'seen but not touched' };

test.before.each(async (context) => {
  context.web = await startWeb();
  context.owner = await context.web.setUpOwner();
});
test.after.each(({ web }) => web.stop());

test('opens the organization of a person who has one, and the list of several', async ({ web, owner }) => {
  assert.is((await owner.get('/')).to, `/organizations/${web.organizationId}`);
  await web.members.createOrganization('Second', web.ownerId);
  assert.is((await owner.get('/')).to, '/organizations');
  const { text } = await owner.get('/organizations');
  assert.match(text, new RegExp(`href="/organizations/${web.organizationId}">My organization</a>`));
});

test('says on a page of its own how to connect an assistant', async ({ web, owner }) => {
  const home = await owner.get(`/organizations/${web.organizationId}`);
  assert.match(home.text, 'href="/connect"');
  const { text } = await owner.get('/connect');
  assert.match(text, `${web.url}/api/mcp/v1</pre>`);
  assert.match(text, 'claude mcp add --transport http veritrail');
  assert.match(text, 'href="/settings/tokens"');
});

test('tells strangers what the service is, and nothing about its data', async ({ web }) => {
  const { text, status } = await web.browser().get('/');
  assert.is(status, 200);
  assert.match(text, 'A compliance register');
  assert.match(text, 'href="/sign-in"');
  assert.not.match(text, 'My organization');
});

test('lets an owner create another organization and rename it', async ({ web, owner }) => {
  await owner.get('/organizations');
  const refusal = await owner.send('/organizations', { name: '  ' });
  assert.is(refusal.status, 400);
  assert.match(refusal.text, /id="name-fault">Enter a name for the organization/);
  const long = await owner.send('/organizations', { name: 'x'.repeat(201) });
  assert.match(long.text, /id="name-fault">.*1 to 200/);
  const response = await owner.send('/organizations', { name: ' Second ' });
  assert.match(String(response.to), /^\/organizations\/org_\w+$/);
  const page = await owner.follow(response);
  assert.match(page.text, '<h1>Home</h1>');
  assert.match(page.text, '<title>Home · Second · veritrail</title>');
  assert.match((await owner.get(`${response.to}/members`)).text, '<title>Members · Second · veritrail</title>');
  assert.match(page.text, 'Second created. You are the owner.');
  const settings = `${response.to}/settings`;
  assert.match((await owner.get(settings)).text, '<title>Settings · Second · veritrail</title>');
  const fromPast = (await owner.get(`${settings}?as_of=2026-01-31`)).text;
  assert.match(fromPast, `Settings are always those of today.<a href="${response.to}?as_of=2026-01-31">`);
  assert.not.match((await owner.get(settings)).text, 'always those of today');
  const renamed = await owner.send(`${response.to}/name`, { name: 'Third' });
  assert.is(renamed.to, settings);
  assert.match((await owner.follow(renamed)).text, '<dd>Third</dd>');
  const faulty = await owner.send(`${response.to}/name`, { name: '' });
  assert.is(faulty.status, 400);
  assert.equal(
    (await web.members.organizationsOf(web.ownerId)).map(({ name }) => name),
    ['My organization', 'Third'],
  );
});

test('offers no new organization to a person who owns the maximum', async ({ web, owner }) => {
  assert.match((await owner.get('/organizations')).text, 'Create another');
  const [membership] = await web.members.organizationsOf(web.ownerId);
  web.members.organizationsOf = async () => Array.from({ length: MAX_OWNED_ORGANIZATIONS }, () => membership!);
  assert.not.match((await owner.get('/organizations')).text, 'Create another');
});

test('shows a viewer their organization, without renaming and creating', async ({ web }) => {
  const vera = await web.invite(VIEWER, 'VIEWER');
  const path = `/organizations/${web.organizationId}`;
  const page = await vera.get(`${path}/settings`);
  assert.match(page.text, 'Viewer: ');
  assert.not.match(page.text, /Rename|Access log/);
  assert.match(page.text, `href="${path}/members"`);
  assert.not.match(page.text, new RegExp(`href="${path}/(tokens|access)"`));
  assert.not.match((await vera.get('/organizations')).text, 'Create another');
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)![1]!;
  const renamed = await vera.post(`${path}/name`, { form_token, name: 'Mine' });
  assert.is(renamed.status, 403);
  assert.match(renamed.text, 'you need the role Admin or Owner, but yours is Viewer. Ask an Owner');
  const response = await vera.post('/organizations', { form_token, name: 'Mine' });
  assert.is(response.status, 400);
  assert.match(response.text, 'Only an Owner');
  assert.is((await web.members.organizationsOf(web.ownerId))[0]!.name, 'My organization');
});

test('hides other organizations', async ({ web, owner }) => {
  const vera = await web.invite(VIEWER, 'VIEWER');
  const { id } = await web.members.createOrganization('Others', web.ownerId);
  assert.is((await owner.get(`/organizations/${id}`)).status, 200);
  const form_token = /name="form_token" value="([^"]+)"/.exec((await vera.get('/connect')).text)![1]!;
  const unknownOrganization = await vera.get('/organizations/org_7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  for (const path of [id, 'org_', '__proto__', 'constructor', '%00', "'", `${id}%20`, id.toLowerCase()]) {
    const response = await vera.get(`/organizations/${path}`);
    assert.is(response.status, 404, path);
    if (path === id) assert.is(withoutFormTokens(response.text), withoutFormTokens(unknownOrganization.text));
    assert.is((await vera.post(`/organizations/${path}/name`, { form_token, name: 'x' })).status, 404, path);
  }
  const account = (await web.people.accounts.findByEmail(VIEWER.email))!;
  await web.members.remove(web.organizationId, account.id, accountActor(web.ownerId));
  assert.is((await vera.get(`/organizations/${web.organizationId}`)).status, 404);
});

test.run();
