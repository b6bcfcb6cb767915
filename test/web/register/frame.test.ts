/** The frame around an organization's pages: the numbers in its rail are those of the moment shown. */

import * as assert from 'uvu/assert';
import { countText } from '../../../src/web/texts/counts.ts';
import { formsIn, type TestBrowser } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };

const test = webSuite<PageContext & { viewer: TestBrowser; path: string; positions: number[] }>(
  'frame',
  async ({ web }) => {
    const viewer = await web.invite(VIEWER, 'VIEWER');
    const organization_id = web.organizationId;
    const newest = () => web.reader.snapshot().newestPosition(organization_id);
    const positions = [newest()];
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
    await web.call('addRisk', { organization_id, name: 'Flood' });
    await web.call('addMeasure', { organization_id, name: 'Sprinklers', owner_id: 'ME', due_date: '2020-01-01' });
    positions.push(newest());
    await web.call('archiveRecords', { organization_id, ids: [risk.id], action: 'ARCHIVE', reason: 'Not ours' });
    positions.push(newest());
    return { viewer, path: `/organizations/${organization_id}`, positions };
  },
);

/** Returns the number beside an entry of the rail; undefined if it has none. */
const railCount = (html: string, title: string) =>
  new RegExp(`<a href="[^"]*"[^>]*>${title}<span class="count">([^<]*)</span>`).exec(html)?.[1];

test('counts the records of each family and what needs the reader', async ({ owner, viewer, path }) => {
  for (const page of ['', '/vendors', '/changes', '/members', '/settings']) {
    const { text } = await owner.get(`${path}${page}`);
    const counts = ['Risks', 'Measures', 'Vendors', 'Needs you', 'Changes'].map((title) => railCount(text, title));
    assert.equal(counts, ['1', '1', '0', '1', undefined], page);
  }
  const { text } = await viewer.get(path);
  assert.equal(
    ['Risks', 'Needs you'].map((title) => railCount(text, title)),
    ['1', '0'],
  );
});

test('counts at the moment that the page shows', async ({ owner, path, positions, web }) => {
  const risksAt = async (asOf: string | number) => railCount((await owner.get(`${path}?as_of=${asOf}`)).text, 'Risks');
  assert.equal(await Promise.all(positions.map(risksAt)), ['0', '2', '1']);
  assert.is(await risksAt('2001-01-01'), '0');
  await web.call('addRisk', { organization_id: web.organizationId, name: 'Theft' });
  assert.equal([await risksAt(positions[1]!), await risksAt('')], ['2', '2']);
});

test('keeps what was typed as a moment that it can’t read, and says so in the frame', async ({ owner, path, web }) => {
  const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', {
    organization_id: web.organizationId,
    name: 'Acme',
  });
  const pages = ['', '/vendors', `/vendors/${vendor.id}`, '/needs-you', '/changes', '/reports', '/files', '/search'];
  for (const page of pages) {
    for (const [typed, message] of [
      ['zzz', 'Moment is not a date that we know. Choose one, for example 2025-10-23.'],
      ['2099-01-01', 'Moment is in the future. Give an earlier moment, or today’s date'],
      ['aud_unknown', 'Moment is not a date that we know|has no audit aud_unknown'],
      ['"><img>', 'Moment is not a date that we know'],
    ] as const) {
      const { status, text } = await owner.get(`${path}${page}?as_of=${encodeURIComponent(typed)}&x=y`);
      const where = `${page} ${typed}`;
      assert.is(status, 400, where);
      assert.match(text, new RegExp(message), where);
      assert.not.match(text, /as_of is /, where);
      assert.is(railCount(text, 'Measures'), '1', where);
      const form = formsIn(text).find(({ fields }) => fields.getAll('as_of').includes(typed));
      assert.is(form?.action, `${path}${page}`, where);
      assert.is(form!.fields.get('x'), 'y', where);
      assert.match(text, new RegExp(`href="${path}${page}\\?x=y">Back to today`), where);
    }
  }
});

test('writes large counts with commas, and stops at 10,000', () => {
  assert.equal([7, 1_234, 10_000, 10_001].map(countText), ['7', '1,234', '10,000', '10,000+']);
});

test.run();
