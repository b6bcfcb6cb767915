import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, wrongCode } from '../../support/identity/people.ts';
import { SoftwareKey } from '../../support/identity/software-key.ts';
import {
  formsIn,
  OWNER,
  startWeb,
  type TestBrowser,
  textOf,
  unescapeHtml,
  type WebTest,
} from '../../support/web/web.ts';

const PAGE = '/settings/security';
const NEXT = 'difference engine no. 2';

const test = suite<{ web: WebTest; browser: TestBrowser }>('security page');

test.before.each(async (context) => {
  context.web = await startWeb('http://localhost:0');
  context.browser = await context.web.setUpOwner();
});
test.after.each(({ web }) => web.stop());

/** Signs the owner in from another browser. */
async function signIn(web: WebTest, password = OWNER.password): Promise<{ browser: TestBrowser; status: number }> {
  const browser = web.browser();
  await browser.get('/sign-in');
  const { status } = await browser.send('/sign-in', { email: OWNER.email, password });
  return { browser, status };
}

/** Adds an authenticator app. Returns its secret and the page that follows. */
async function addApp(web: WebTest, browser: TestBrowser) {
  const secret = textOf((await browser.get(`${PAGE}/app`)).text, 'totp-secret');
  const response = await browser.send(`${PAGE}/app`, { code: codeOf(secret, web.now()) });
  return { secret, shown: response };
}

test('replaces the password and signs other browsers out', async ({ web, browser }) => {
  const other = (await signIn(web)).browser;
  await browser.get(PAGE);
  const answer = await browser.send(`${PAGE}/password`, { current: OWNER.password, password: NEXT });
  assert.is(answer.to, `${PAGE}/credentials`);
  assert.match((await browser.follow(answer)).text, 'Password changed');
  assert.is((await other.get(PAGE)).status, 303);
  assert.is((await signIn(web)).status, 400);
  assert.is((await signIn(web, NEXT)).status, 303);
});

test('shows a wrong or weak password at its field, and changes nothing', async ({ web, browser }) => {
  for (const [fields, field] of [
    [{ current: 'not this one', password: NEXT }, 'current'],
    [{ current: OWNER.password, password: 'short' }, 'password'],
  ] as const) {
    await browser.get(PAGE);
    const { status, text } = await browser.send(`${PAGE}/password`, fields);
    assert.is(status, 400);
    assert.ok(textOf(text, `${field}-fault`).length > 10);
    assert.not.match(text, /value="(?:not this one|short)"/);
  }
  assert.is((await signIn(web)).status, 303);
});

test('adds an authenticator app by its code, shows recovery codes once, and asks for codes from then on', async ({
  web,
  browser,
}) => {
  const first = await browser.get(`${PAGE}/app`);
  assert.match(first.text, /<svg\b/);
  const secret = textOf(first.text, 'totp-secret');
  const refusal = await browser.send(`${PAGE}/app`, { code: wrongCode(secret, web.now()) });
  assert.is(refusal.status, 400);
  assert.is(textOf(refusal.text, 'totp-secret'), secret);
  const { shown: response } = await addApp(web, browser);
  const codes = textOf(response.text, 'codes').split('\n');
  assert.is(codes.length, 10);
  assert.match((await browser.get(PAGE)).text, '10 codes are');
  assert.not.match((await browser.get(PAGE)).text, codes[0]!);

  const { browser: other } = await signIn(web);
  assert.is((await other.get(PAGE)).status, 303);
  await other.get('/sign-in/second-factor');
  assert.is((await other.send('/sign-in/second-factor/recovery-code', { recovery_code: codes[0]! })).status, 303);
  assert.match((await other.get(PAGE)).text, '9 codes are');
  const renewed = await other.send(`${PAGE}/recovery-codes`);
  assert.is(textOf(renewed.text, 'codes').split('\n').length, 10);
  await other.get(PAGE);
  assert.is((await other.send(`${PAGE}/app/remove`)).to, PAGE);
  assert.is((await (await signIn(web)).browser.get(PAGE)).status, 200);
});

test('adds and removes a passkey', async ({ web, browser }) => {
  const page = await browser.get(`${PAGE}/passkeys`);
  const options = JSON.parse(unescapeHtml(/data-options="([^"]*)"/.exec(page.text)![1]!));
  const credential = JSON.stringify(new SoftwareKey(web.baseUrl).create(options));
  const addResponse = await browser.send(`${PAGE}/passkeys`, { name: 'Blue key', credential });
  assert.is(textOf(addResponse.text, 'codes').split('\n').length, 10);
  assert.match((await browser.get(PAGE)).text, 'Blue key');
  assert.is((await (await signIn(web)).browser.get(PAGE)).status, 303);
  await browser.get(PAGE);
  assert.is((await browser.send(`${PAGE}/passkeys/remove`)).to, PAGE);
  assert.not.match((await browser.get(PAGE)).text, 'Blue key');
});

test('refuses a made-up passkey', async ({ browser }) => {
  for (const credential of ['', '{', 'null', '[]', '{}', '{"id":"x","response":{}}', `{"id":"${'x'.repeat(2000)}"}`]) {
    await browser.get(`${PAGE}/passkeys`);
    const { status } = await browser.send(`${PAGE}/passkeys`, { name: 'x', credential });
    assert.is(status, 400, credential);
  }
  assert.match((await browser.get(PAGE)).text, 'Your account is protected by your password only');
});

test('asks for the password again before the page of passkeys, 15 minutes after sign-in', async ({ web, browser }) => {
  web.identity.clock.wait(16 * 60_000);
  const confirm = `${PAGE}/confirm?next=${encodeURIComponent(`${PAGE}/passkeys`)}`;
  assert.is((await browser.get(`${PAGE}/passkeys`)).to, confirm);
  await browser.get(confirm);
  const right = await browser.send(`${PAGE}/confirm`, { current: OWNER.password });
  assert.is(right.to, `${PAGE}/passkeys`);
  assert.is((await browser.follow(right)).status, 200);
});

test('never redirects to another site after reauthentication', async ({ web, browser }) => {
  web.identity.clock.wait(16 * 60_000);
  for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example']) {
    const address = `${PAGE}/confirm?next=${encodeURIComponent(next)}`;
    const form = formsIn((await browser.get(address)).text).find(({ fields }) => fields.has('current'))!;
    form.fields.set('current', OWNER.password);
    assert.is((await browser.post(address, form.fields)).to, PAGE, next);
    web.identity.clock.wait(16 * 60_000);
  }
});

test('lets an account without a password set one, or reauthenticate by signing in again', async ({ web }) => {
  const clientInfo = { address: '192.0.2.7', agent: '' };
  const eve = { name: 'Eve', email: 'eve@example.org', subject: 'https://id.example.org eve' };
  const account = await web.people.accounts.create(eve, clientInfo);
  const signedIn = async () => {
    const browser = web.browser();
    browser.cookies.set(
      'veritrail',
      (await web.people.signIn.withVerifiedAccount(account, 'OPENID', clientInfo)).cookie,
    );
    return browser;
  };
  const browser = await signedIn();
  web.identity.clock.wait(16 * 60_000);
  await browser.get(PAGE);
  const lateAnswer = await browser.send(`${PAGE}/password`, { password: NEXT });
  assert.match((await browser.follow(lateAnswer)).text, 'Sign out, sign in again');
  const newSession = await signedIn();
  assert.not.match((await newSession.get(PAGE)).text, 'Current password');
  assert.is((await newSession.send(`${PAGE}/password`, { password: NEXT })).to, PAGE);
  assert.match((await newSession.get(PAGE)).text, 'Current password');
  assert.is((await browser.get(PAGE)).status, 303, 'other browsers are signed out');
});

test('lists signed-in browsers, and signs out one or all others', async ({ web, browser }) => {
  const [second, third] = [(await signIn(web)).browser, (await signIn(web)).browser];
  const { text } = await browser.get(PAGE);
  assert.is(text.match(/This browser/g)?.length, 1);
  assert.is(text.match(/name="session"/g)?.length, 2);
  const done = await browser.send(`${PAGE}/sessions/end`);
  assert.match((await browser.follow(done)).text, 'Browser signed out.');
  const statuses = [(await second.get(PAGE)).status, (await third.get(PAGE)).status].sort();
  assert.equal(statuses, [200, 303]);
  await browser.get(PAGE);
  await browser.send(`${PAGE}/sessions/end-others`);
  assert.equal([(await second.get(PAGE)).status, (await third.get(PAGE)).status], [303, 303]);
  assert.is((await browser.get(PAGE)).status, 200);
  const recorded = web.accountEvents.flatMap((event) => (event.type === 'SESSIONS_ENDED' ? [event.count] : []));
  assert.equal(recorded, [1, 1], 'it is in the access log');
});

test('refuses to end another person’s session', async ({ web, browser }) => {
  const guest = await web.invite(
    { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' },
    'VIEWER',
  );
  const [session] = await web.people.sessions.list(web.ownerId);
  await signIn(web);
  await browser.get(PAGE);
  await guest.get(PAGE);
  const forged = new URLSearchParams({ session: session!.id });
  const token = /name="form_token" value="([^"]+)"/.exec((await guest.get(PAGE)).text)![1]!;
  forged.set('form_token', token);
  assert.is((await guest.post(`${PAGE}/sessions/end`, forged)).to, PAGE);
  assert.is((await browser.get(PAGE)).status, 200);
});

test.run();
