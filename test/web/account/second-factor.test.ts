import { Secret, TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OWNER, startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

interface Context {
  web: WebTest;
  code(): string;
  recovery: string[];
}

const test = suite<Context>('second factor');
const PATH = '/sign-in/second-factor';
const CLIENT_INFO = { address: '127.0.0.1', agent: '' };

test.before.each(async (context) => {
  const web = await startWeb();
  await web.setUpOwner();
  const session = (await web.people.sessions.list(web.ownerId))[0]!;
  const { secret } = await web.people.totp.enrol(session);
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  context.web = web;
  context.code = () => totp.generate({ timestamp: web.now().getTime() });
  context.recovery = (await web.people.totp.add(session, context.code(), CLIENT_INFO))!;
  web.identity.clock.wait(60_000);
});
test.after.each(({ web }) => web.stop());

/** Signs in with the password, up to the second step. */
async function signInWithPassword(web: WebTest, next = ''): Promise<TestBrowser> {
  const browser = web.browser();
  await browser.get(`/sign-in${next}`);
  const redirected = await browser.send('/sign-in', OWNER);
  assert.match(String(redirected.to), PATH);
  const page = await browser.follow(redirected);
  assert.match(page.text, 'authenticator app');
  return browser;
}

test('opens nothing with the password alone, and issues another cookie after the code', async ({ web, code }) => {
  const browser = await signInWithPassword(web);
  const pending = browser.cookies.get('veritrail');
  assert.match((await browser.get('/settings/tokens')).to!, /^\/sign-in\?/);
  await browser.get(PATH);
  const done = await browser.send(PATH, { code: code() });
  assert.is(done.to, '/');
  assert.is.not(browser.cookies.get('veritrail'), pending);
  assert.match((await browser.get('/connect')).text, OWNER.name);
  const fixed = web.browser();
  fixed.cookies.set('veritrail', pending!);
  assert.match((await fixed.get('/')).text, 'href="/sign-in"');
});

test('keeps the requested page through both steps', async ({ web, code }) => {
  const browser = await signInWithPassword(web, '?next=%2Fsettings%2Ftokens');
  assert.is((await browser.send(PATH, { code: code() })).to, '/settings/tokens');
});

test('keeps the link to the assistant that opened the window through both steps', async ({ web, code }) => {
  const browser = web.browser();
  const policy = ({ headers }: { headers: Record<string, unknown> }) => headers['cross-origin-opener-policy'];
  const pages = [await browser.get('/sign-in?next=%2Foauth%2Finteraction%2Fx')];
  pages.push(await browser.send('/sign-in', OWNER));
  pages.push(await browser.follow(pages[1]!));
  pages.push(await browser.send(PATH, { code: '000000' }));
  pages.push(await browser.send(PATH, { code: code() }));
  assert.equal(pages.map(policy), Array(5).fill('unsafe-none'));
  assert.is(pages[4]!.to, '/oauth/interaction/x');
  assert.is(policy(await browser.get('/settings/tokens')), 'same-origin');
});

test('shows a wrong code at its field, and restarts the sign-in after five', async ({ web }) => {
  const browser = await signInWithPassword(web);
  assert.match((await browser.send(PATH, { code: '' })).text, /id="code-fault">Enter the code/);
  for (let i = 1; i < 5; i += 1) {
    const response = await browser.send(PATH, { code: '000000' });
    assert.is(response.status, 400);
    assert.match(response.text, /id="code-fault">This code is wrong/);
    assert.match(response.text, /aria-invalid="true"/);
  }
  assert.is((await browser.send(PATH, { code: '000000' })).to, '/sign-in');
  assert.is((await browser.get(PATH)).to, '/sign-in');
});

test('accepts a recovery code once, and shows a wrong one at its own field', async ({ web, recovery }) => {
  const browser = await signInWithPassword(web);
  const refusal = await browser.send(`${PATH}/recovery-code`, { recovery_code: 'none-of-them' });
  assert.is(refusal.status, 400);
  assert.match(refusal.text, /<details open/);
  assert.match(refusal.text, /id="recovery_code-fault">This recovery code is wrong/);
  assert.is((await browser.send(`${PATH}/recovery-code`, { recovery_code: recovery[0]! })).to, '/');
  const newSession = await signInWithPassword(web);
  assert.is((await newSession.send(`${PATH}/recovery-code`, { recovery_code: recovery[0]! })).status, 400);
});

test('refuses anything that is not a passkey’s response', async ({ web }) => {
  const browser = await signInWithPassword(web);
  const form_token = /name="form_token" value="([^"]+)"/.exec((await browser.get(PATH)).text)![1]!;
  for (const credential of [
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"__proto__":{"id":"x"}}',
    '{"id":"x","type":"public-key"}',
  ]) {
    const response = await browser.post(`${PATH}/passkey`, { form_token, credential });
    assert.ok(response.status === 400 || response.status === 303, `${response.status} ${credential}`);
    assert.is.not(response.to, '/');
  }
});

test('offers no second step without a first one, or after sign-in', async ({ web, code }) => {
  const stranger = web.browser();
  assert.is((await stranger.get(`${PATH}?next=/organizations`)).to, '/sign-in?next=%2Forganizations');
  const browser = await signInWithPassword(web);
  await browser.send(PATH, { code: code() });
  assert.is((await browser.get(PATH)).to, '/');
  assert.is((await browser.get('/sign-in?next=/organizations')).to, '/organizations');
});

test('answers too many attempts with a page: 429 and Retry-After', async ({ web }) => {
  const browser = web.browser();
  let response = await browser.get('/sign-in');
  for (let i = 0; i < 30 && response.status !== 429; i += 1) {
    await browser.get('/sign-in');
    response = await browser.send('/sign-in', { ...OWNER, password: 'wrong wrong wrong' });
  }
  assert.is(response.status, 429);
  assert.match(String(response.headers['retry-after']), /^\d+$/);
  assert.match(response.text, '<h1>Too many attempts</h1>');
  assert.match(String(response.headers['content-type']), 'text/html');
});

test.run();
