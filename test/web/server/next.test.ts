import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeNext } from '../../../src/web/server/safe-next.ts';
import { OWNER, startWeb } from '../../support/web/web.ts';

const test = suite('redirect after sign-in');

const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/ /evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  '/\u0000/evil.example',
  '/\u200b/evil.example',
  '/%2f%2fevil.example',
  '/%2F/evil.example',
  '/%5cevil.example',
  '/%5C/evil.example',
  '/%09/evil.example',
  '/%00',
  '/%0d%0aSet-Cookie:%20a=b',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'evil.example',
  '?a=b',
  '#a',
  '@evil.example',
  '/%',
  '/%c0%af',
  `/${'a'.repeat(3_000)}`,
  '',
];

for (const next of ELSEWHERE) {
  test(`${JSON.stringify(next.slice(0, 40))} leads to the home page`, () => {
    assert.is(safeNext(next), '/');
  });
}

for (const [next, path] of [
  ['/', '/'],
  ['/settings/tokens', '/settings/tokens'],
  ['/welcome?key=a-b_c', '/welcome?key=a-b_c'],
  ['/oauth/authorize?redirect_uri=https%3A%2F%2Fclaude.ai%2Fback&scope=a%20b', undefined],
  ['/organizations/org_1/../org_2', '/organizations/org_2'],
  ['/a#b', '/a'],
] as const) {
  test(`${next} leads there`, () => {
    assert.is(safeNext(next), path ?? next);
  });
}

test('leads to the home page or the given default when next is null or absent', () => {
  assert.is(safeNext(null), '/');
  assert.is(safeNext(undefined, '/here'), '/here');
});

test('never redirects to another site after sign-in', async () => {
  const web = await startWeb();
  await web.setUpOwner();
  for (const next of ELSEWHERE) {
    const browser = web.browser();
    const response = await browser.get(`/sign-in?next=${encodeURIComponent(next.slice(0, 200))}`);
    assert.is(response.status, 200, next);
    assert.not.match(response.text, /evil\.example/);
  }
  await web.stop();
});

test('leads back to the page of a form that was sent after the session ended, within this service only', async () => {
  const web = await startWeb();
  await web.setUpOwner();
  const page = `/organizations/${web.organizationId}/risks/add?a=b`;
  for (const [referer, next] of [
    [`${web.baseUrl}${page}`, page],
    ['https://evil.example/risks/add', null],
    [`${web.baseUrl}//evil.example`, null],
    ['http://[', null],
    [undefined, null],
  ] as const) {
    const browser = web.browser();
    await browser.get('/sign-in');
    await browser.send('/sign-in', OWNER);
    await browser.get('/settings/account');
    browser.cookies.delete('veritrail');
    const headers: Record<string, string> = referer === undefined ? {} : { Referer: referer };
    const { to } = await browser.post('/settings/account/name', { name: 'Typed for nothing' }, headers);
    assert.is(to, next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`, referer);
  }
  await web.stop();
});

test.run();
