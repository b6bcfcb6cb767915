/** The pages of tokens and assistants: an organization's, and a person's own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };

interface Context {
  web: WebTest;
  owner: TestBrowser;
  eve: TestBrowser;
  eveId: string;
  page: string;
}

const test = suite<Context>('credential pages');

test.before.each(async (context) => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  const eve = await web.invite(EVE, 'EDITOR');
  const eveId = (await web.members.membersOf(web.organizationId)).find(({ name }) => name === 'Eve')!.account_id;
  Object.assign(context, { web, owner, eve, eveId, page: `/organizations/${web.organizationId}/tokens` });
});
test.after.each(({ web }) => web.stop());

const grantOf = ({ web, eveId }: Context) => ({
  account_id: eveId,
  role: 'EDITOR' as const,
  organizations: [web.organizationId],
});

const connect = (context: Context, name = 'Helpful') =>
  context.web.tokens.connect(
    { name, ...grantOf(context), client: { id: 'client-1', name } },
    accountActor(context.eveId),
  );

test('lets an owner see and revoke everything that reaches the organization', async (context) => {
  const { web, owner, eveId, page } = context;
  const { record } = await web.tokens.create({ name: 'Eve’s script', ...grantOf(context) }, accountActor(eveId));
  await connect(context);
  const { text } = await owner.get(page);
  for (const part of ['Eve’s script', `…${record.last_four}`, 'Helpful', 'Assistant']) assert.match(text, part);
  const tokenPath = `${page}/${record.id}`;
  assert.match((await owner.get(tokenPath)).text, 'Editor');
  const done = await owner.send(`${tokenPath}/take-out`, { reason: 'not used any more' });
  assert.is(done.to, page);
  const after = (await owner.get(page)).text;
  assert.not.match(after, 'Eve’s script</');
  assert.match(after, 'Helpful');
  assert.is((await owner.get(tokenPath)).status, 404);
  assert.is((await web.tokens.listOfAccount(eveId)).find(({ id }) => id === record.id)?.state, 'REVOKED');
});

test('tells members who may not see all credentials so, and lets them revoke none', async (context) => {
  const { web, eve, page } = context;
  const [first] = await web.tokens.listOfAccount(web.ownerId);
  assert.is((await eve.get(page)).status, 403);
  assert.is((await eve.get(`${page}/${first!.id}`)).status, 403);
  const token = /name="form_token" value="([^"]+)"/.exec((await eve.get('/settings/account')).text)![1]!;
  assert.is((await eve.post(`${page}/${first!.id}/take-out`, { form_token: token })).status, 403);
  assert.is((await web.tokens.listOfAccount(web.ownerId))[0]!.state, 'ACTIVE');
});

test('shows a person’s assistants with their access, and disconnects one', async (context) => {
  const { web, eve, eveId } = context;
  assert.match((await eve.get('/settings/assistants')).text, web.endpoint);
  const { id } = await connect(context);
  await connect(context, 'Second');
  const { text } = await eve.get('/settings/assistants');
  for (const part of ['Helpful', 'Second', 'My organization', 'Editor', 'never']) assert.match(text, part);
  const done = await eve.send('/settings/assistants/disconnect', { assistant: id });
  assert.match((await eve.follow(done)).text, 'The assistant is disconnected.');
  const remainingTokens = (await web.tokens.listOfAccount(eveId))
    .filter(({ state }) => state === 'ACTIVE')
    .map(({ name }) => name);
  assert.equal(remainingTokens, ['Second']);
});

test('refuses to disconnect another person’s assistant or token by its id', async (context) => {
  const { web, owner, eveId } = context;
  await connect(context);
  const [assistant] = await web.tokens.listOfAccount(eveId);
  const token = /name="form_token" value="([^"]+)"/.exec((await owner.get('/settings/account')).text)![1]!;
  const fields = { form_token: token, assistant: String(assistant!.id) };
  const { to } = await owner.post('/settings/assistants/disconnect', fields);
  assert.match((await owner.get(String(to))).text, 'There is no such token');
  assert.is((await web.tokens.listOfAccount(eveId))[0]!.state, 'ACTIVE');
});

test.run();
