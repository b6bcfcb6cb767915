/** Rules for every page and form, checked on all routes. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { BUILD_VERSION } from '../../../src/version.ts';
import { TOKEN_FIELD } from '../../../src/web/server/csrf.ts';
import type { Route } from '../../../src/web/server/page-request.ts';
import { allRoutes } from '../../../src/web/server/pages.ts';
import { formsIn, startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const EVIL = `<img src=x onerror="alert('1')">`;
const EVIL_ENDS = /<img|onerror="/;

const test = suite<{ web: WebTest; browser: TestBrowser; routes: Route[] }>('every page');

test.before(async (context) => {
  const web = await startWeb(undefined, { openId: true });
  const browser = await web.setUpOwner();
  Object.assign(context, { web, browser, routes: allRoutes(web) });
  const person = (await web.people.sessions.list(web.ownerId))[0]!;
  await web.people.accounts.rename(person, EVIL);
  const actor = accountActor(web.ownerId);
  await web.members.rename(web.organizationId, EVIL, actor);
  const grant = { account_id: web.ownerId, role: 'OWNER' as const, organizations: [web.organizationId] };
  const { record } = await web.tokens.create({ name: EVIL, ...grant }, actor);
  await web.tokens.create({ name: EVIL, ...grant }, actor);
  await web.tokens.revoke(String(record.id), EVIL, actor);
  await web.tokens.connect({ name: EVIL, ...grant, client: { id: 'evil', name: EVIL } }, actor);
  const invitation = { kind: 'INVITATION', organization_id: web.organizationId, role: 'VIEWER' } as const;
  await web.people.links.create({ ...invitation, made_by: web.ownerId, note: EVIL });
  await web.invite({ name: `${EVIL} 2`, email: 'eve@example.org', password: 'a quite long password 7' }, 'EDITOR');
});
test.after(async ({ web }) => web.stop());

const pathOf = ({ path }: Route, web: WebTest) =>
  path
    .replace('/organizations/:id', `/organizations/${web.organizationId}`)
    .replace('/reports/:type', '/reports/posture')
    .replace(/:\w+/g, 'none_of_these');

const pages = (routes: readonly Route[]) => routes.filter(({ method }) => method === 'GET');
const formRoutes = (routes: readonly Route[]) => routes.filter(({ method }) => method === 'POST');

test('there are pages and forms', ({ routes }) => {
  assert.ok(pages(routes).length > 5);
  assert.ok(formRoutes(routes).length > 5);
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  assert.is(new Set(names).size, names.length);
});

test('forbids caching, foreign content and inline scripts on every page', async ({ web, browser, routes }) => {
  for (const route of pages(routes)) {
    const { headers, text, status } = await browser.get(pathOf(route, web));
    const where = `${route.path}: ${status}`;
    assert.ok(status < 500, where);
    assert.is(headers['cache-control'], 'no-store', where);
    assert.is(headers['x-content-type-options'], 'nosniff', where);
    assert.is(headers['referrer-policy'], 'same-origin', where);
    const policy = String(headers['content-security-policy']);
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert.ok(policy.includes(part), `${where} ${policy}`);
    }
    assert.not.match(policy, /unsafe|\*/);
    if (status >= 300 && status < 400) continue;
    assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/, where);
    assert.ok(Buffer.byteLength(text) < 24 * 1024, `${where} ${Buffer.byteLength(text)} bytes`);
    assert.not.match(text, /<script(?! src="\/assets\/)|<style|\sstyle="|\son[a-z]+="|javascript:/i, where);
    assert.not.match(text, /(?:src|href|action)="(?!\/(?!\/)|#)/, where);
  }
});

test('says that the address of a form’s action can’t be opened directly', async ({ web, browser, routes }) => {
  const opened = new Set(pages(routes).map(({ path }) => path));
  const actions = formRoutes(routes).filter(({ path }) => !opened.has(path));
  assert.ok(actions.some(({ path }) => path.endsWith('/members/invite')));
  for (const route of actions) {
    const { status, text, headers } = await browser.get(pathOf(route, web));
    assert.is(status, 405, route.path);
    assert.is(headers.allow, 'POST', route.path);
    assert.match(text, 'can’t be opened directly', route.path);
  }
});

test('gives every page a title, a language, one h1, landmarks and labelled fields', async ({
  web,
  browser,
  routes,
}) => {
  let checkedPages = 0;
  for (const route of pages(routes)) {
    const { text, status } = await browser.get(pathOf(route, web));
    if (status !== 200) continue;
    checkedPages += 1;
    assert.is(text.match(/<h1[ >]/g)?.length, 1, route.path);
    assert.match(text, /<html lang="en">/);
    assert.match(text, /<title[^>]*>[^<]+<\/title>/);
    assert.match(text, /<main id="main"/);
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    assert.is(new Set(ids).size, ids.length, `${route.path}: ${ids}`);
    for (const [, id] of text.matchAll(/\s(?:for|aria-describedby)="([^"]+)"/g)) {
      for (const elementId of id!.split(' '))
        assert.ok(ids.includes(elementId), `${route.path}: nothing has the id ${elementId}`);
    }
  }
  assert.ok(checkedPages > 10, `looked at ${checkedPages} pages`);
});

test('names the version at the foot, and to nobody who has not signed in', async ({ web, browser }) => {
  const foot = `<footer class="muted">veritrail ${BUILD_VERSION}</footer>`;
  for (const path of ['/account', `/organizations/${web.organizationId}`, '/no-such-page'])
    assert.ok((await browser.get(path)).text.includes(foot), path);
  for (const path of ['/sign-in', '/no-such-page'])
    assert.not.match((await web.browser().get(path)).text, 'footer', path);
});

test('escapes names wherever they are shown', async ({ web, browser, routes }) => {
  let checkedPages = 0;
  for (const route of pages(routes)) {
    const { text } = await browser.get(pathOf(route, web));
    assert.not.match(text, EVIL_ENDS, route.path);
    if (text.includes('&lt;img')) checkedPages += 1;
  }
  assert.ok(checkedPages > 4, `shown on ${checkedPages} pages`);
});

test('escapes input from queries and forms', async ({ web, browser, routes }) => {
  const evil = encodeURIComponent(`">${EVIL}`);
  const query = `?next=/${evil}&key=${evil}&cursor=${evil}&x=${evil}`;
  for (const route of pages(routes)) {
    const { text } = await browser.get(`${pathOf(route, web)}${query}`);
    assert.not.match(text, EVIL_ENDS, route.path);
  }
  const token = await formToken(browser);
  for (const route of formRoutes(routes).filter(({ path }) => path !== '/sign-out')) {
    const names = ['name', 'email', 'key', 'code', 'role', 'days', 'organizations', 'domain', 'credential'];
    const fields = Object.fromEntries(names.map((name) => [name, `">${EVIL}`]));
    const { text } = await browser.post(`${pathOf(route, web)}${query}`, { [TOKEN_FIELD]: token, ...fields });
    assert.not.match(text, EVIL_ENDS, route.path);
  }
});

test('answers HEAD as GET, and refuses other methods', async ({ web, browser, routes }) => {
  for (const route of pages(routes)) {
    const path = pathOf(route, web);
    const [got, head] = [await browser.get(path), await browser.request('HEAD', path, null, {})];
    assert.is(head.status, got.status, route.path);
    assert.is(head.text, '');
  }
  for (const path of new Set(routes.map((route) => pathOf(route, web)))) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const refusal = await browser.request(method, path, null, {});
      assert.is(refusal.status, 405, `${method} ${path}`);
      assert.match(String(refusal.headers.allow), /GET, HEAD|POST/);
    }
  }
});

test('refuses a form from another site, from another browser, or without its CSRF token', async ({
  web,
  browser,
  routes,
}) => {
  const token = await formToken(browser);
  const stranger = web.browser();
  await stranger.get('/sign-in');
  const other = await formToken(stranger);
  const right = { [TOKEN_FIELD]: token };
  const withoutOrigin = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const route of formRoutes(routes)) {
    const path = pathOf(route, web);
    const tries: [string, Promise<{ status: number }>][] = [
      ['no token', browser.post(path, {})],
      ['an empty token', browser.post(path, { [TOKEN_FIELD]: '' })],
      ['a wrong token', browser.post(path, { [TOKEN_FIELD]: `${token.slice(0, -2)}xx` })],
      ['another browser’s token', browser.post(path, { [TOKEN_FIELD]: other })],
      ['another site', browser.post(path, right, { 'Sec-Fetch-Site': 'cross-site' })],
      ['a sister site', browser.post(path, right, { 'Sec-Fetch-Site': 'same-site' })],
      [
        'another origin',
        browser.request('POST', path, `${TOKEN_FIELD}=${token}`, { ...withoutOrigin, Origin: 'https://evil.example' }),
      ],
      ['no origin', browser.request('POST', path, `${TOKEN_FIELD}=${token}`, withoutOrigin)],
      ['a null origin', browser.request('POST', path, `${TOKEN_FIELD}=${token}`, { ...withoutOrigin, Origin: 'null' })],
      ['another host', browser.post(path, right, { Host: 'evil.example', Origin: 'http://evil.example' })],
    ];
    for (const [problem, answer] of tries) assert.is((await answer).status, 403, `${path} with ${problem}`);
    const json = await browser.post(path, right, { 'Content-Type': 'application/json' });
    assert.is(json.status, 415, path);
  }
  assert.is((await browser.get('/settings/tokens')).status, 200, 'nothing of it signed the owner out');
});

/** Returns what a form's token hides: the second half of its bytes under the mask in the first half. */
function unmasked(token: string | null): string {
  const bytes = Buffer.from(token ?? '', 'base64url');
  return bytes
    .subarray(32)
    .map((byte, index) => byte ^ bytes[index]!)
    .join();
}

test('puts a valid CSRF token into every form', async ({ web, browser, routes }) => {
  const checkedPaths = new Set(formRoutes(routes).map((route) => pathOf(route, web)));
  let visitedPages = 0;
  for (const route of pages(routes)) {
    for (const { method, action, fields } of formsIn((await browser.get(pathOf(route, web))).text)) {
      if (method === 'get') {
        assert.is(fields.get(TOKEN_FIELD), null, 'a token in an address');
        continue;
      }
      visitedPages += 1;
      assert.is(unmasked(fields.get(TOKEN_FIELD)), unmasked(await formToken(browser)), action);
      const path = action.split('?')[0]!;
      const pattern = (elementId: string) =>
        new RegExp(`^${elementId.replaceAll('none_of_these', '[^/]+')}$`).test(path);
      assert.ok([...checkedPaths].some(pattern), `nothing takes ${action}`);
    }
  }
  assert.ok(visitedPages > 10);
});

test('sends strangers to sign in before they see anything, and back afterwards', async ({ web, routes }) => {
  for (const route of routes.filter(({ isPublic }) => !isPublic)) {
    const stranger = web.browser();
    await stranger.get('/sign-in');
    const path = pathOf(route, web);
    if (route.method === 'GET') {
      assert.is((await stranger.get(`${path}?a=b`)).to, `/sign-in?next=${encodeURIComponent(`${path}?a=b`)}`);
      continue;
    }
    const answer = await stranger.post(path, { [TOKEN_FIELD]: await formToken(stranger) });
    assert.is(answer.to, '/sign-in', path);
  }
});

test('says that a form was lost when the session ended before it was sent', async ({ web }) => {
  const path = '/settings/account/name';
  for (const cookie of ['of-a-session-that-ended', null]) {
    const person = { name: `Person ${cookie}`, email: `${cookie}@example.org`, password: 'a quite long password 7' };
    const browser = await web.invite(person, 'VIEWER');
    await browser.get('/settings/account');
    if (cookie === null) browser.cookies.delete('veritrail');
    else browser.cookies.set('veritrail', cookie);
    const elsewhere = await browser.post(path, { name: 'Forged' }, { 'Sec-Fetch-Site': 'cross-site' });
    assert.is(elsewhere.status, 403, 'another site cannot show the notice');
    const answer = await browser.force(path, { name: 'Typed for nothing' });
    assert.equal([answer.status, answer.to], [303, '/sign-in'], String(cookie));
    assert.match(
      (await browser.follow(answer)).text,
      /role="status">\s*You were signed out, so your form was not saved/,
    );
  }
});

/** Returns the CSRF token of a page in this browser. */
async function formToken(browser: TestBrowser): Promise<string> {
  const match =
    formsIn((await browser.get('/settings/tokens')).text)[0] ?? formsIn((await browser.get('/sign-in')).text)[0];
  const token = match?.fields.get(TOKEN_FIELD);
  if (!token) throw new Error('no page shows a form with its token');
  return token;
}

test.run();
