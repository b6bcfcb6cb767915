import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OWNER, startWeb, type WebTest } from '../support/web.ts';

const test = suite<{ web: WebTest }>('sign in');

test.before.each(async (context) => {
  context.web = await startWeb();
});
test.after.each(({ web }) => web.stop());

test('the first owner sets up an account, signs out and in again', async ({ web }) => {
  const browser = await web.setUpOwner();
  const start = await browser.get('/');
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

test.run();
