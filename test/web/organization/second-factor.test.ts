/** Requiring a second factor: the owner's form, and the only page that a member without one sees. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProvider } from '../../support/identity/openid-provider.ts';
import { signInWithProvider } from '../../support/identity/openid-suite.ts';
import { CLIENT_INFO, codeOf } from '../../support/identity/people.ts';
import { startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; browser: TestBrowser; path: string }>('a second factor for all members');

const BO = { name: 'Bo', email: 'bo@example.org', password: 'some other long words' };

test.before.each(async (context) => {
  context.web = await startWeb();
  context.browser = await context.web.setUpOwner();
  context.path = `/organizations/${context.web.organizationId}`;
});
test.after.each(({ web }) => web.stop());

/** Gives an account an authenticator app. */
async function addApp({ people, now }: WebTest, accountId: string): Promise<void> {
  const session = (await people.sessions.list(accountId))[0]!;
  const { secret } = await people.totp.enrol(session);
  await people.totp.add(session, codeOf(secret, now()), CLIENT_INFO);
}

const todayOf = ({ now }: WebTest) => now().toISOString().slice(0, 10);

test('an owner without one is told to add it first; afterwards the page says since when, and who lacks it', async ({
  web,
  browser,
  path,
}) => {
  await web.invite(BO, 'EDITOR');
  const settings = await browser.get(`${path}/settings`);
  assert.match(settings.text, 'Optional: each member decides.');
  const refused = await browser.follow(await browser.send(`${path}/second-factor`, { from: todayOf(web) }));
  assert.match(unescapeHtml(refused.text), 'Add a second factor to your own account first');
  await addApp(web, web.ownerId);
  await browser.get(`${path}/settings`);
  const done = await browser.follow(await browser.send(`${path}/second-factor`, { from: todayOf(web) }));
  assert.match(done.text, 'Second factor required.');
  assert.match(done.text, /Required since <time datetime="\d{4}-\d\d-\d\d" data-local="date">.*1 member has none yet/s);
  assert.match((await browser.get(`${path}/changes`)).text, 'Second factor required: Second factor from');
  await browser.get(`${path}/settings`);
  const optional = await browser.follow(await browser.send(`${path}/second-factor/optional`));
  assert.match(optional.text, 'The second factor is optional again.');
});

test('asks again who it is, and refuses a past day and a day that doesn’t exist', async ({ web, browser, path }) => {
  await addApp(web, web.ownerId);
  for (const from of ['2020-01-01', '2026-02-30', 'soon']) {
    await browser.get(`${path}/settings`);
    await browser.send(`${path}/second-factor`, { from });
    assert.is(await web.members.secondFactorFrom(web.organizationId), null, from);
  }
  for (const action of ['', '/optional']) {
    await browser.get(`${path}/settings`);
    web.identity.clock.wait(15 * 60_000);
    const answer = await browser.force(`${path}/second-factor${action}`, { from: todayOf(web) });
    assert.match(answer.to ?? '', '/settings/security/confirm', action);
  }
  assert.is(await web.members.secondFactorFrom(web.organizationId), null);
});

test('a member without one is told the day on Home, in Needs you and in the account, until they add one', async ({
  web,
  path,
}) => {
  await addApp(web, web.ownerId);
  const bo = await web.invite(BO, 'EDITOR');
  const { id } = (await web.people.accounts.findByEmail(BO.email))!;
  const pages = [path, `${path}/needs-you`, '/settings/account'];
  const notices = async () => {
    const all = await Promise.all(pages.map((page) => bo.get(page)));
    return all.map(({ text }) => /<p class="notice warning">(.*?)<\/p>/s.exec(text)?.[1]);
  };
  assert.equal(await notices(), [undefined, undefined, undefined]);
  await web.members.requireSecondFactor(web.organizationId, '2030-01-31', {
    ...{ actor_id: web.ownerId, token_id: null, client: null, role: 'OWNER' },
  });
  for (const notice of await notices()) {
    assert.match(notice!, 'requires a second factor from <time datetime="2030-01-31"');
    assert.match(notice!, '<a href="/settings/security">add one</a>');
  }
  await web.identity.accounts.insert('passkeys', { id: 'key', account_id: id });
  assert.equal(await notices(), [undefined, undefined, undefined]);
});

test('a member without one sees how to add it, and nothing else of this organization', async ({ web, path }) => {
  await addApp(web, web.ownerId);
  const bo = await web.invite(BO, 'EDITOR');
  const { id } = (await web.people.accounts.findByEmail(BO.email))!;
  assert.is((await bo.get(path)).status, 200);
  await web.members.requireSecondFactor(web.organizationId, todayOf(web), {
    ...{ actor_id: web.ownerId, token_id: null, client: null, role: 'OWNER' },
  });
  for (const page of ['', '/risks', '/changes', '/settings', '/members', '/reports', '/files', '/search?q=a']) {
    const answer = await bo.get(path + page);
    assert.is(answer.status, 403, page);
    assert.match(answer.text, /href="\/settings\/security"/, page);
  }
  const file = await bo.get(`/api/v1/organizations/${web.organizationId}/records/risks?format=csv`);
  assert.is(file.status, 403);
  assert.match(file.text, '/settings/security');
  await addApp(web, id);
  assert.is((await bo.get(path)).status, 200);
});

test('the provider’s word counts for people who sign in only there', async () => {
  const provider = await startProvider();
  const web = await startWeb(undefined, { openId: provider.settings });
  await web.setUpOwner();
  await addApp(web, web.ownerId);
  provider.person = { sub: 'cy-1', email: 'cy@example.org', email_verified: true, name: 'Cy' };
  const invitation = { kind: 'INVITATION', role: 'EDITOR', made_by: web.ownerId } as const;
  const { secret } = await web.people.links.create({ ...invitation, organization_id: web.organizationId });
  const path = `/organizations/${web.organizationId}`;
  const weak = web.browser();
  await signInWithProvider(weak, `/welcome?key=${secret}`, `/sign-in/openid`);
  await web.members.requireSecondFactor(web.organizationId, todayOf(web), {
    ...{ actor_id: web.ownerId, token_id: null, client: null, role: 'OWNER' },
  });
  assert.is((await weak.get(path)).status, 403);
  for (const [claims, status] of [
    [{ amr: ['pwd'] }, 403],
    [{ amr: ['pwd', 'otp'] }, 200],
    [{}, 403],
    [{ acr: 'https://refeds.org/profile/mfa' }, 200],
    [{ acr: '1', amr: 'mfa' }, 403],
    [{ amr: ['mfa'] }, 200],
  ] as const) {
    provider.changeClaims = (token) => ({ ...token, ...claims });
    const browser = web.browser();
    await signInWithProvider(browser);
    assert.is((await browser.get(path)).status, status, JSON.stringify(claims));
  }
  assert.is((await weak.get('/settings/security')).status, 303, 'a session that began with one factor has ended');
  await web.stop();
  await provider.stop();
});

test.run();
