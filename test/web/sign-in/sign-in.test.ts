import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OWNER, startWeb, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest }>('sign in');

test.before.each(async (context) => {
  context.web = await startWeb();
});
test.after.each(({ web }) => web.stop());

test('lets the first owner set up an account, sign out and sign in again', async ({ web }) => {
  const browser = await web.setUpOwner();
  const start = await browser.follow(await browser.get('/'));
  assert.is(start.status, 200);
  assert.match(start.text, 'Connect an assistant');
  assert.match(start.text, OWNER.name);
  const out = await browser.send('/sign-out');
  assert.is(out.to, '/');
  assert.match((await browser.follow(out)).text, 'You are signed out.');
  await browser.get('/sign-in');
  const done = await browser.send('/sign-in', OWNER);
  assert.is(done.status, 303);
  assert.is(done.to, '/');
});

test('answers a wrong password and an unknown address alike, and keeps the typed address only', async ({ web }) => {
  await web.setUpOwner();
  const texts: string[] = [];
  for (const email of [OWNER.email, 'nobody@example.org', 'no address', `${OWNER.email}\u0000`]) {
    const browser = web.browser();
    await browser.get('/sign-in');
    const response = await browser.send('/sign-in', { email, password: 'wrong but memorable' });
    assert.is(response.status, 400);
    assert.not.match(response.text, 'memorable');
    assert.match(response.text, `value="${email}"`);
    assert.match(response.text, /role="alert"/);
    assert.not.ok(browser.cookies.has('veritrail'));
    texts.push(response.text.replaceAll(email, '').replace(/name="form_token" value="[^"]+"/, ''));
  }
  assert.is(new Set(texts).size, 1);
});

test('never locks the owner out of a browser they signed in from, however many others guess', async ({ web }) => {
  const browser = await web.setUpOwner();
  await browser.get('/connect');
  await browser.send('/sign-out');
  assert.ok(browser.cookies.has('veritrail-known'), 'it stays');
  const stranger = web.browser();
  const forged = browser.cookies.get('veritrail-known')!.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'));
  for (const browserCookie of [undefined, undefined, undefined, forged, forged, forged]) {
    if (browserCookie !== undefined) stranger.cookies.set('veritrail-known', browserCookie);
    await stranger.get('/sign-in');
    await stranger.send('/sign-in', { email: OWNER.email, password: 'wrong but memorable' });
  }
  await stranger.get('/sign-in');
  assert.is((await stranger.send('/sign-in', OWNER)).status, 429);
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', OWNER)).status, 303);
});

test('shows a missing value at its field', async ({ web }) => {
  const browser = web.browser();
  await browser.get('/sign-in');
  const response = await browser.send('/sign-in', { email: ' ', password: '' });
  assert.is(response.status, 400);
  assert.match(response.text, /id="email-fault">Enter your e-mail address/);
  assert.match(response.text, /id="password-fault">Enter your password/);
  assert.match(response.text, /<input id="email"[^>]*aria-describedby="email-fault"[^>]*aria-invalid="true"/);
});

test('ignores upper and lower case in an address', async ({ web }) => {
  await web.setUpOwner();
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', { ...OWNER, email: ' ADA@Example.ORG ' })).to, '/');
});

test('returns to the requested page after sign-in, and expires a session after an idle day', async ({ web }) => {
  const browser = await web.setUpOwner();
  await browser.get('/connect');
  web.identity.clock.wait(24 * 3_600_000 + 1);
  const answer = await browser.get('/organizations?a=b');
  assert.is(answer.to, '/sign-in?next=%2Forganizations%3Fa%3Db');
  await browser.follow(answer);
  assert.is((await browser.send('/sign-in', OWNER)).to, '/organizations?a=b');
});

test('sends a person to sign in after a form from an expired session', async ({ web }) => {
  const browser = await web.setUpOwner();
  await browser.get('/organizations');
  web.identity.clock.wait(24 * 3_600_000 + 1);
  const answer = await browser.send('/organizations', { name: 'Late' });
  assert.is(answer.to, '/sign-in');
  assert.is((await web.members.organizationsOf(web.ownerId)).length, 1);
});

test('accepts a sign-out without a session', async ({ web }) => {
  const browser = web.browser();
  const page = await browser.get('/sign-in');
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)![1]!;
  assert.is((await browser.post('/sign-out', { form_token })).to, '/');
});

test.run();
