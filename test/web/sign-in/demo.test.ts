/** Signing in as the people of the demo, by its link. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import {
  formsIn,
  type PageAnswer,
  startWeb,
  type TestBrowser,
  unescapeHtml,
  type WebTest,
} from '../../support/web/web.ts';

const INGRID = 'acc_00000000000000000000000042';
const ASTRID = 'acc_00000000000000000000000043';

const test = suite<{ web: WebTest; browser: TestBrowser }>('people of the demo');

test.before.each(async (context) => {
  context.web = await startWeb();
  context.browser = context.web.browser();
  await addPerson(context.web, INGRID, 'Ingrid Solheim', 'OWNER');
  await addPerson(context.web, ASTRID, 'Astrid Lund', 'VIEWER');
});
test.after.each(({ web }) => web.stop());

async function addPerson(
  { identity, members, organizationId, ownerId }: WebTest,
  id: string,
  name: string,
  role: 'OWNER' | 'VIEWER',
) {
  await identity.accounts.insert('accounts', { id, name, organizations: [], created_at: '' });
  await members.add(organizationId, id, role, accountActor(ownerId));
}

/** Opens the demo for both, and returns the path of its link. */
const openDemo = ({ people }: WebTest): string => {
  const interests = [INGRID, ASTRID].map((account_id) => ({ account_id, interest: 'Looks around.' }));
  return `/demo?key=${people.demo.open(interests)}`;
};

/** Returns the accounts that a page offers to sign in as. */
const offeredIn = ({ text }: PageAnswer) =>
  formsIn(text).flatMap(({ action, fields }) => (action === '/demo' ? fields.getAll('account') : []));

/** Presses the button of a person on the current page. */
const choose = (browser: TestBrowser, account: string) => browser.send('/demo', { account });

test('opens on Home after one click, says so on every page, and leads to another person', async ({ web, browser }) => {
  const list = await browser.get(openDemo(web));
  assert.equal(offeredIn(list), [INGRID, ASTRID]);
  assert.match(list.text, 'Look around as Ingrid');
  const home = await browser.follow(await browser.follow(await choose(browser, INGRID)));
  assert.is(home.status, 200);
  assert.match(home.text, /You look as Ingrid Solheim/);
  const security = (await browser.get('/settings/security')).text;
  assert.match(security, 'The demo’s link signs you in, without a password.');
  assert.not.match(security, /provider|by your password only|New password/);
  const first = browser.cookies.get('veritrail');
  await browser.get('/demo');
  assert.is((await choose(browser, ASTRID)).to, '/');
  assert.match((await browser.get(`/organizations/${web.organizationId}`)).text, /You look as Astrid Lund/);
  assert.not.equal(browser.cookies.get('veritrail'), first);
  assert.equal(await web.people.sessions.list(INGRID), [], 'the earlier session has ended');
});

test('looks as the same person again where it must be proved who that is, and loses no input', async ({
  web,
  browser,
}) => {
  await browser.get(openDemo(web));
  await choose(browser, INGRID);
  const members = `/organizations/${web.organizationId}/members`;
  await browser.get(members);
  web.identity.clock.wait(15 * 60_000 + 1);
  const asked = await browser.follow(
    await browser.send(`${members}/invite`, { role: 'AUDITOR', note: 'Lead auditor' }),
  );
  assert.match(asked.text, 'Look as Ingrid Solheim again');
  assert.not.match(asked.text, 'Sign out, sign in again');
  const back = await browser.follow(await browser.send('/demo'));
  assert.match(back.text, 'value="Lead auditor"');
  assert.match((await browser.send(`${members}/invite`)).text, 'Auditor link for Lead auditor');
});

test('is found by the link or a person of the demo only', async ({ web, browser }) => {
  const owner = await web.setUpOwner();
  assert.is((await browser.get(`/demo?key=${'k'.repeat(43)}`)).status, 404, 'nobody opened it');
  openDemo(web);
  for (const path of ['/demo', '/demo?key=', `/demo?key=${'k'.repeat(43)}`]) {
    assert.is((await browser.get(path)).status, 404, path);
    assert.is((await owner.get(path)).status, 404, path);
  }
  await owner.get('/settings/account');
  assert.not.match((await owner.get('/settings/account')).text, 'You look as');
  assert.is((await owner.force('/demo', { account: INGRID })).status, 404);
  await browser.get('/sign-in');
  assert.is((await browser.force('/demo', { account: INGRID })).status, 404);
  assert.not.ok(browser.cookies.has('veritrail'));
});

test('signs in as nobody but the unowned accounts of the demo', async ({ web, browser }) => {
  const owner = await web.setUpOwner();
  const link = openDemo(web);
  await browser.get(link);
  const refusal = await choose(browser, web.ownerId);
  assert.is(refusal.status, 400);
  assert.match(unescapeHtml(refusal.text), 'The demo has no such person.');
  await web.identity.accounts.update('accounts', INGRID, { password: 'hash' });
  assert.equal(offeredIn(await browser.get(link)), [ASTRID]);
  assert.is((await choose(browser, INGRID)).status, 400);
  await web.members.leave(web.organizationId, ASTRID);
  assert.equal(offeredIn(await browser.get(link)), []);
  assert.equal(offeredIn(await owner.get(link)), []);
  assert.not.ok(browser.cookies.has('veritrail'));
});

test('a sign-in page of the demo says where the link is', async ({ web, browser }) => {
  assert.not.match((await browser.get('/sign-in')).text, 'demo');
  openDemo(web);
  assert.match((await browser.get('/sign-in')).text, 'Open the link that the start of the service printed.');
});

test.run();
