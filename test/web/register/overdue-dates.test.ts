/** Lists mark dates that are over, unless a column says it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; owner: TestBrowser }>('overdue dates in lists');

test.before(async (context) => {
  const web = await startWeb();
  Object.assign(context, { web, owner: await web.setUpOwner() });
});
test.after(async ({ web }) => web.stop());

test('marks dates that are over, while they matter', async ({ web, owner }) => {
  const { organizationId: organization_id } = web;
  const today = web.reader.snapshot().today();
  const add = (tool: string, fields: object) => web.call(tool, { organization_id, ...fields });
  await add('addMeasure', { name: 'Late', due_date: '2026-01-05' });
  await add('addMeasure', { name: 'Due today', due_date: today });
  await add('addMeasure', { name: 'Done', due_date: '2026-01-06', state: 'IMPLEMENTED', reason: 'Done' });
  await add('addVendor', { name: 'Late', next_review_due: '2026-01-07' });
  await add('addVendor', { name: 'Gone', next_review_due: '2026-01-08', status: 'OFFBOARDED', reason: 'Left' });
  await add('addRisk', { name: 'Late', next_review_due: '2026-01-09' });
  await add('addObligation', { requirement: 'Late', due_date: '2026-01-10' });
  const marked = async (plural: string) => {
    const { text } = await owner.get(`/organizations/${organization_id}/${plural}`);
    return [...text.matchAll(/Overdue: <\/span><time datetime="([^"]*)"/gi)].map(([, day]) => day);
  };
  assert.equal(await marked('measures'), ['2026-01-05']);
  assert.equal(await marked('vendors'), ['2026-01-07']);
  assert.equal(await marked('risks'), ['2026-01-09']);
  assert.equal(await marked('obligations'), [], 'the column Overdue says it');
});

test('says of expired evidence that newer evidence replaces it, instead of overdue', async ({ web, owner }) => {
  const { organizationId: organization_id } = web;
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
  const { measure } = await web.call<{ measure: { id: string } }>('addMeasure', {
    organization_id,
    name: 'Sprinklers',
    due_date: '2026-01-05',
  });
  const link = { organization_id, links: [{ from_id: measure.id, to_id: risk.id }] };
  await web.call('linkRecords', link);
  const add = (name: string, collected_at: string, valid_until: string) =>
    web.call('addEvidence', { organization_id, name, text: 'ok', collected_at, valid_until, record_ids: [risk.id] });
  await add('Spring', '2025-01-05', '2026-01-05');
  await add('Autumn', '2025-09-05', '2026-01-06');
  const page = async (path: string) =>
    (await owner.get(`/organizations/${organization_id}/${path}`)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  const list = await page('evidence');
  assert.match(list, /Spring .*? 5 Jan 2026 · Replaced by newer evidence/);
  assert.is(list.match(/Overdue: /g)?.length, 1, 'the newest has expired');
  const record = await page(`risks/${risk.id}`);
  assert.match(record, /Autumn ! Expired 6 Jan 2026/);
  assert.match(record, /Spring · Replaced by newer evidence 5 Jan 2026/);
  assert.match(record, /Sprinklers ! Not started ! Overdue|Sprinklers · Not started ! Overdue/);
});

test.run();
