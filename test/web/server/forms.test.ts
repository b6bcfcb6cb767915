/** Invalid form bodies, assets, and answers for unknown addresses. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { assetText } from '../../../src/web/server/assets.ts';
import { checkboxField, checkForm, repeatedField, singleField } from '../../../src/web/server/form-state.ts';
import { replaceMembers } from '../../support/identity/identity.ts';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

/** The file with which each asset of a person's own pages begins. */
const FIRST_FILES: Readonly<Record<string, string>> = {
  'register.css': 'style.css',
  'page.js': 'local-time.js',
  'icon.svg': 'icon.svg',
};

const test = suite<{ web: WebTest; owner: TestBrowser }>('forms, assets and errors');

test.before(async (context) => {
  context.web = await startWeb();
  context.owner = await context.web.setUpOwner();
});
test.after(({ web }) => web.stop());

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

test('counts the fields of a form before it parses them', async ({ owner }) => {
  const parsed: number[] = [];
  const Parser = globalThis.URLSearchParams;
  globalThis.URLSearchParams = class extends Parser {
    constructor(...[init]: ConstructorParameters<typeof Parser>) {
      super(init);
      parsed.push(String(init).length);
    }
  };
  try {
    const answer = await owner.request('POST', '/organizations', '&a'.repeat(250_000), FORM);
    assert.is(answer.status, 400);
    assert.match(answer.text, 'too many fields');
  } finally {
    globalThis.URLSearchParams = Parser;
  }
  assert.ok(Math.max(0, ...parsed) < 1_000, parsed.join());
});

/** Requests an address and returns the bytes of its answer as they were sent. */
async function rawGet(
  address: string,
  headers: Record<string, string>,
): Promise<{ status?: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }> {
  const [response] = (await once(get(address, { agent: false, headers }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

test('accepts form-urlencoded bodies of at most 300 fields, and 64 KiB from strangers, 512 KiB from people', async (context) => {
  const { owner, web } = context;
  const send = (body: string, headers: Record<string, string> = {}) =>
    owner.request('POST', '/organizations', body, { ...FORM, ...headers });
  const stranger = (body: string) => web.browser().request('POST', '/sign-in', body, FORM);
  assert.is((await stranger('a'.repeat(64 * 1024 + 1))).status, 413);
  assert.is((await stranger('a'.repeat(64 * 1024))).status, 403);
  assert.is((await send('a'.repeat(512 * 1024 + 1))).status, 413);
  assert.is((await send('a'.repeat(512 * 1024))).status, 403);
  assert.is((await send('a&'.repeat(301))).status, 400);
  assert.is((await send('a&'.repeat(300))).status, 403);
  for (const type of [
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/json',
    '',
    'application/x-www-form-urlencoded; charset=utf-16',
  ]) {
    assert.is((await send('a=b', { 'Content-Type': type })).status, 415, type);
  }
  assert.is((await send('a=b', { 'Content-Encoding': 'gzip' })).status, 415);
  assert.is((await send('%', {})).status, 403);
});

test('treats names such as constructor as ordinary field names', async ({ owner }) => {
  const { text } = await owner.get('/organizations');
  const form_token = /name="form_token" value="([^"]+)"/.exec(text)![1]!;
  const specialNames = { __proto__: 'x', constructor: 'y', 'name.__proto__': 'z', 'name[]': 'w', hasOwnProperty: '1' };
  const body = new URLSearchParams([['form_token', form_token], ...Object.entries(specialNames), ['__proto__', 'x']]);
  const response = await owner.post('/organizations', body);
  assert.is(response.status, 400);
  assert.match(response.text, /id="name-fault"/);
  assert.is(({} as Record<string, unknown>).x, undefined);
});

test('reads single fields, repeated fields and check boxes', () => {
  const shape = { one: singleField(z.string()), many: repeatedField(z.string()), box: checkboxField() };
  const read = (pairs: [string, string[]][]) => checkForm(shape, new Map(pairs));
  assert.equal(read([]).value, { one: '', many: [], box: false });
  const all: [string, string[]][] = [
    ['one', ['1']],
    ['many', ['a', 'b']],
    ['box', ['on']],
  ];
  assert.equal(read(all).value, { one: '1', many: ['a', 'b'], box: true });
  const repeatedFields = read([['one', ['1', '2']]]);
  assert.is(repeatedFields.form?.errors.get('one'), 'This was sent twice. Reload the page and try again.');
  const emptyForm = checkForm({ constructor: singleField(z.string()) }, new Map());
  assert.equal(emptyForm.value, { constructor: '' });
});

test('serves the script that verifies files, in at most 60 KB compressed', async ({ owner }) => {
  const { status, headers, text } = await owner.get('/assets/verify.js');
  assert.equal([status, headers['content-type']], [200, 'text/javascript; charset=utf-8']);
  for (const name of ['verifyExportFile', 'verifySealFile', 'verifyEventProof', 'NotAnExport']) {
    assert.match(text, new RegExp(`as ${name}\\b`));
  }
  const { length } = brotliCompressSync(text);
  assert.ok(length < 60_000, `${length} bytes`);
});

test('sends at most 40 KB of script with an organization’s page, without imports', async ({ owner, web }) => {
  const { text } = await owner.get(`/organizations/${web.organizationId}`);
  const addresses = [...text.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, address]) => address!);
  assert.is(addresses.length, 1);
  const { text: script } = await owner.get(addresses[0]!);
  const bytes = Buffer.byteLength(script);
  assert.ok(bytes < 40 * 1024, `${bytes} bytes`);
  assert.not.match(script, /^import /m);
});

test('lets browsers cache assets for ever under their hashed address, and revalidate others', async ({ owner }) => {
  const { text } = await owner.get('/connect');
  const addresses = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, address]) => address!);
  assert.is(addresses.length, 3);
  const types: Record<string, string> = {
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml',
  };
  for (const address of addresses) {
    const asset = await owner.get(address);
    const file = address.split('?')[0]!;
    assert.is(asset.status, 200);
    assert.is(asset.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.is(asset.headers['content-type'], types[file.split('.')[1]!]);
    assert.is(asset.headers['x-content-type-options'], 'nosniff');
    assert.is(asset.headers['set-cookie'], undefined);
    const firstFile = FIRST_FILES[file.split('/').at(-1)!];
    const source = readFileSync(new URL(`../../../src/web/assets/${firstFile}`, import.meta.url), 'utf8');
    assert.ok(asset.text.startsWith(source), file);
    const revalidated = await owner.get(address, { 'If-None-Match': String(asset.headers.etag) });
    assert.equal([revalidated.status, revalidated.text], [304, '']);
    assert.is((await owner.get(file)).headers['cache-control'], 'public, no-cache');
    assert.is((await owner.get(`${file}?v=0123456789abcdef`)).headers['cache-control'], 'public, no-cache');
  }
  for (const path of [
    '/assets/',
    '/assets/none.css',
    '/assets/..%2fpages.ts',
    '/assets/%2e%2e/pages.ts',
    '/assets/constructor',
    '/assets/__proto__',
  ]) {
    assert.is((await owner.get(path)).status, 404, path);
  }
});

test('serves each asset plain, as gzip and as brotli, each form with its own tag', async ({ web }) => {
  const address = `${web.url}/assets/page.css`;
  const plain = Buffer.from(assetText('page.css'));
  const forms: [accepted: string, coding: string | null, decode: (bytes: Buffer) => Buffer][] = [
    ['identity', null, (bytes) => bytes],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ];
  const tags = new Set<string>();
  for (const [accepted, coding, decode] of forms) {
    const asset = await rawGet(address, { 'Accept-Encoding': accepted });
    assert.is(asset.headers['content-encoding'] ?? null, coding);
    assert.is(asset.headers.vary, 'Accept-Encoding');
    assert.equal(decode(asset.bytes), plain);
    const etag = asset.headers.etag!;
    tags.add(etag);
    const headers = { 'Accept-Encoding': accepted, 'If-None-Match': etag };
    assert.is((await rawGet(address, headers)).status, 304);
    if (coding !== null) assert.is((await rawGet(address, { 'If-None-Match': etag })).status, 200);
  }
  assert.is(tags.size, 3);
});

test('a page takes one style sheet and one script', async ({ web, owner }) => {
  const assetsOf = async (browser: TestBrowser, path: string) => {
    const { text } = await browser.get(path);
    return [...text.matchAll(/<(?:link rel="stylesheet" href|script src)="\/assets\/([^?"]+)\?v=/g)].map(
      ([, name]) => name,
    );
  };
  const home = `/organizations/${web.organizationId}`;
  assert.equal(await assetsOf(web.browser(), '/sign-in'), ['page.css', 'page.js']);
  assert.equal(await assetsOf(owner, '/account'), ['register.css', 'page.js']);
  assert.equal(await assetsOf(owner, home), ['register.css', 'register.js']);
  assert.equal(await assetsOf(owner, `${home}/verify`), ['register.css', 'proof.js']);
});

test('masks the token of forms anew in each page, and takes every one of them', async ({ owner }) => {
  const tokenOf = (text: string) => /name="form_token" value="([^"]+)"/.exec(text)![1]!;
  const tokens = [];
  for (let page = 0; page < 3; page += 1) tokens.push(tokenOf((await owner.get('/organizations')).text));
  assert.is(new Set(tokens).size, 3);
  const bytes = tokens.map((token) => Buffer.from(token, 'base64url'));
  for (const part of [0, 32]) {
    assert.is(new Set(bytes.map((token) => token.subarray(part, part + 32).toString('hex'))).size, 3);
  }
  for (const form_token of tokens) assert.is((await owner.post('/organizations', { form_token })).status, 400);
  const changed = Buffer.from(bytes[0]!);
  changed[40]! ^= 1;
  for (const wrong of [changed, bytes[0]!.subarray(32), Buffer.concat([bytes[0]!, bytes[0]!]), Buffer.alloc(64)]) {
    const answer = await owner.post('/organizations', { form_token: wrong.toString('base64url') });
    assert.is(answer.status, 403);
  }
});

test('answers an unknown address with a page for browsers and JSON for programs', async ({ web, owner }) => {
  const page = await owner.get('/nothing/here');
  assert.is(page.status, 404);
  assert.match(page.text, '<h1>Page not found</h1>');
  assert.is(page.headers['cache-control'], 'no-store');
  const json = await owner.get('/nothing/here', { Accept: '*/*' });
  assert.is(json.status, 404);
  assert.is(JSON.parse(json.text).error.code, 'not_found');
  assert.is(
    (await owner.request('POST', '/nothing/here', '', { Accept: 'text/html' })).headers['content-type'],
    'application/json; charset=utf-8',
  );
  for (const path of ['/Sign-In', '/sign-in/', '//sign-in', '/settings', '/%73ettings/tokens/x']) {
    assert.is((await web.browser().get(path)).status, 404, path);
  }
});

test('shows no page under another host name', async ({ owner }) => {
  const response = await owner.get('/settings/tokens', { Host: 'rebound.example' });
  assert.is(response.status, 403);
  assert.not.match(response.text, 'First token');
});

test('shows a page with Retry-After when the store is down, without the error’s details', async ({ web }) => {
  const logged: unknown[] = [];
  const logger = replaceMembers(web.logger, { error: ((line: unknown) => logged.push(line)) as never });
  const failingWeb = await startWeb(undefined, { logger });
  const owner = await failingWeb.setUpOwner();
  const fail = (error: Error) => {
    failingWeb.members.organizationsOf = () => Promise.reject(error);
  };
  fail(new StoreUnavailable('mongodb://secret-host is down', false));
  const unavailable = await owner.get('/organizations');
  assert.is(unavailable.status, 503);
  assert.is(unavailable.headers['retry-after'], '2');
  assert.not.match(unavailable.text, 'secret-host');
  fail(new Error('stack and path of /home/somebody'));
  const broken = await owner.get('/organizations');
  assert.is(broken.status, 500);
  assert.match(broken.text, '<h1>Something went wrong</h1>');
  assert.not.match(broken.text, 'somebody');
  assert.is(logged.length, 2);
  await failingWeb.stop();
});

test.run();
