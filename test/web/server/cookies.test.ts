/** Cookies: flags, names, session fixation and cookies of other people. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OWNER, startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const test = suite('cookies');

async function withWeb(baseUrl: string | undefined, run: (web: WebTest, owner: TestBrowser) => Promise<void>) {
  const web = await startWeb(baseUrl);
  try {
    await run(web, await web.setUpOwner());
  } finally {
    await web.stop();
  }
}

async function signIn(browser: TestBrowser) {
  await browser.get('/sign-in');
  return browser.send('/sign-in', OWNER);
}

const cookieLines = (headers: { 'set-cookie'?: string[] | undefined }) => headers['set-cookie'] ?? [];

test('uses __Host- cookies behind https: Secure, HttpOnly, Lax, no domain', () =>
  withWeb('https://veritrail.example', async (web) => {
    const browser = web.browser();
    const page = await browser.get('/sign-in');
    const signedIn = await browser.send('/sign-in', OWNER);
    const lines = [...cookieLines(page.headers), ...cookieLines(signedIn.headers)];
    assert.is(lines.length, 3);
    for (const line of lines) {
      assert.match(
        line,
        /^__Host-veritrail(-form|-known)?=[\w.-]{24,}; Path=\/; HttpOnly; SameSite=Lax; Secure(; Max-Age=\d+)?$/,
      );
      assert.not.match(line, /domain/i);
    }
    assert.match((await browser.get('/connect')).text, 'Sign out');
  }));

test('uses names without a prefix on plain loopback, as browsers require', () =>
  withWeb(undefined, async (web) => {
    const signedIn = await signIn(web.browser());
    const [line = ''] = cookieLines(signedIn.headers);
    assert.match(line, /^veritrail=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
  }));

test('ignores a cookie without the prefix behind https, because a sibling host can set it', () =>
  withWeb('https://veritrail.example', async (web, owner) => {
    const secret = owner.cookies.get('__Host-veritrail')!;
    const browser = web.browser();
    browser.cookies.set('veritrail', secret);
    assert.match((await browser.get('/')).text, 'href="/sign-in"');
    browser.cookies.set('__Host-veritrail', secret);
    assert.match((await browser.get('/connect')).text, 'Sign out');
  }));

test('starts a new session at sign-in instead of a planted one', () =>
  withWeb(undefined, async (web) => {
    for (const planted of ['a'.repeat(43), 'short', '']) {
      const browser = web.browser();
      browser.cookies.set('veritrail', planted);
      await signIn(browser);
      assert.is.not(browser.cookies.get('veritrail'), planted);
      assert.match((await browser.get('/connect')).text, 'Sign out');
      const attacker = web.browser();
      attacker.cookies.set('veritrail', planted);
      assert.match((await attacker.get('/')).text, 'href="/sign-in"');
    }
  }));

test('ends the session at sign-out, not only the cookie', () =>
  withWeb(undefined, async (web, owner) => {
    const thief = web.browser();
    thief.cookies.set('veritrail', owner.cookies.get('veritrail')!);
    assert.match((await thief.get('/connect')).text, 'Sign out');
    await owner.get('/connect');
    const out = await owner.send('/sign-out');
    assert.match(cookieLines(out.headers).join('\n'), /^veritrail=; .*Max-Age=0$/m);
    assert.match((await thief.get('/')).text, 'href="/sign-in"');
  }));

test('refuses a form from before a sign-in or a sign-out', () =>
  withWeb(undefined, async (web) => {
    const browser = web.browser();
    await browser.get('/sign-in');
    const before = /name="form_token" value="([^"]+)"/.exec((await browser.get('/sign-in')).text)![1]!;
    await signIn(browser);
    assert.is((await browser.post('/sign-out', { form_token: before })).status, 403);
    const inside = /name="form_token" value="([^"]+)"/.exec((await browser.get('/connect')).text)![1]!;
    await browser.get('/connect');
    await browser.send('/sign-out');
    assert.is((await browser.post('/sign-in', { ...OWNER, form_token: inside })).status, 403);
  }));

test('shows a notice once, as escaped text, and ignores malformed ones', () =>
  withWeb(undefined, async (_web, owner) => {
    const text = Buffer.from('<b>done</b>').toString('base64url');
    owner.cookies.set('veritrail-notice', `DONE.${text}`);
    const first = await owner.get('/connect');
    assert.match(first.text, '&lt;b>done&lt;/b>');
    assert.not.match((await owner.get('/connect')).text, 'done&lt;');
    for (const invalidCookie of ['DONE', 'DONE.', '.abcd', 'EVIL.abcd', '%00', `DONE.${'a'.repeat(5_000)}`]) {
      owner.cookies.set('veritrail-notice', invalidCookie);
      const page = await owner.get('/connect');
      assert.is(page.status, 200);
      assert.not.match(page.text, 'class="notice');
    }
  }));

test('ignores malformed Cookie headers, and finds the session among other cookies', () =>
  withWeb(undefined, async (web, owner) => {
    const secret = owner.cookies.get('veritrail')!;
    const cookieHeaders = [
      '=',
      ';;;',
      'veritrail',
      `veritrail="${secret}"`,
      `VERITRAIL=${secret}`,
      `veritrail=${secret}x`,
    ];
    for (const Cookie of cookieHeaders) {
      const page = await web.browser().get('/', { Cookie });
      assert.is(page.status, 200, Cookie);
      assert.match(page.text, 'href="/sign-in"', Cookie);
    }
    for (const Cookie of [
      `a=b;veritrail=${secret}`,
      `a; veritrail = ${secret} ; c=d`,
      `__proto__=x; veritrail=${secret}`,
    ]) {
      assert.match((await web.browser().get('/connect', { Cookie })).text, 'Sign out', Cookie);
    }
  }));

test.run();
