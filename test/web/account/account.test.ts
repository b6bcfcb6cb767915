import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { OWNER, startWeb, type TestBrowser, textOf, type WebTest } from '../../support/web/web.ts';

const PAGE = '/settings/account';
const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };

const test = suite<{ web: WebTest; eve: TestBrowser }>('account page');

test.before.each(async (context) => {
  context.web = await startWeb();
  await context.web.setUpOwner();
  context.eve = await context.web.invite(EVE, 'EDITOR');
});
test.after.each(({ web }) => web.stop());

const accountOfEve = async ({ people }: WebTest) => people.accounts.findByEmail(EVE.email);

test('changes the name', async ({ web, eve }) => {
  await eve.get(PAGE);
  assert.is((await eve.send(`${PAGE}/name`, { name: 'Eve Adams' })).to, PAGE);
  assert.is((await accountOfEve(web))?.name, 'Eve Adams');
  await eve.get(PAGE);
  const blankName = await eve.send(`${PAGE}/name`, { name: ' ' });
  assert.is(blankName.status, 400);
  assert.is(textOf(blankName.text, 'name-fault'), 'Enter your name.');
});

test('offers no change of the e-mail address, which would reveal who else has an account', async ({ web, eve }) => {
  const { text } = await eve.get(PAGE);
  assert.match(text, EVE.email);
  assert.not.match(text, /name="email"/);
  for (const email of [OWNER.email, 'nobody@example.org']) {
    assert.is((await eve.force(`${PAGE}/email`, { email, current: EVE.password })).status, 404);
  }
  assert.is((await accountOfEve(web))?.email, EVE.email);
});

test('lets a member leave an organization, but not its last owner', async ({ web, eve }) => {
  await eve.get(PAGE);
  const response = await eve.send(`${PAGE}/leave`);
  assert.match((await eve.follow(response)).text, 'You left the organization.');
  assert.is((await web.members.membersOf(web.organizationId)).length, 1);
  const owner = web.browser();
  await owner.get('/sign-in');
  await owner.send('/sign-in', OWNER);
  const { text } = await owner.get(PAGE);
  assert.match(text, 'You are the only owner');
  assert.not.match(text, `action="${PAGE}/leave"`);
});

test('erases an account after the typed words and the password, and then refuses its sign-in', async ({ web, eve }) => {
  const { id } = (await accountOfEve(web))!;
  const grant = { name: 'x', account_id: id, role: 'EDITOR' as const, organizations: [web.organizationId] };
  await web.tokens.create(grant, accountActor(id));
  for (const [fields, fault] of [
    [{ confirmation: 'erase', current: EVE.password }, 'confirmation-fault'],
    [{ confirmation: 'erase my account', current: 'not this one' }, 'erasing-password-fault'],
  ] as const) {
    await eve.get(PAGE);
    const { status, text } = await eve.send(`${PAGE}/erase`, fields);
    assert.is(status, 400);
    assert.ok(textOf(text, fault).length > 5);
  }
  assert.ok(await accountOfEve(web));
  await eve.get(PAGE);
  const erased = await eve.send(`${PAGE}/erase`, { confirmation: 'Erase my account', current: EVE.password });
  assert.is(erased.to, '/');
  assert.match((await eve.follow(erased)).text, 'Your account has been erased.');
  assert.is((await eve.get(PAGE)).status, 303);
  assert.is(await accountOfEve(web), null);
  assert.is((await web.tokens.listOfAccount(id)).filter(({ state }) => state === 'ACTIVE').length, 0);
  assert.is((await web.members.membersOf(web.organizationId)).length, 1);
});

test('refuses to erase the last owner’s account until another member is owner', async ({ web }) => {
  const owner = web.browser();
  await owner.get('/sign-in');
  await owner.send('/sign-in', OWNER);
  const html = (await owner.get(PAGE)).text;
  assert.match(html, 'You are the only owner of');
  assert.not.match(html, `${PAGE}/erase`);
  const { status, text } = await owner.force(`${PAGE}/erase`, {
    confirmation: 'erase my account',
    current: OWNER.password,
  });
  assert.is(status, 400);
  assert.match(text, 'Make another member Owner there first');
  assert.is((await owner.get(PAGE)).status, 200);
});

test.run();
