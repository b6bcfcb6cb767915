/** Dates without a time of day: stored, answered, found, sorted and written as dates. */
import * as assert from 'uvu/assert';
import { daysAgo } from '../../support/histories/story.ts';
import type { Session } from '../../support/mcp/mcp-client.ts';
import { requestFile } from '../../support/mcp/request-file.ts';
import { reportCaller, rowsOf, wholeReport } from '../../support/reports.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

const DAY = daysAgo(30);

/** Adds vendors of a category, each with its last review, and returns their ids. */
async function addVendors(owner: Session, organization_id: string, category: string, reviews: readonly string[]) {
  const ids: string[] = [];
  for (const [index, last_reviewed] of reviews.entries()) {
    const input = { organization_id, category, name: `${category} ${index}`, last_reviewed };
    ids.push((await owner.ok('addVendor', input)).vendor.id);
  }
  return ids;
}

await onBothPairs('stated dates', (test) => {
  test('a date is answered as that date, with its history', async ({ owner, organizationId: organization_id }) => {
    const [id] = await addVendors(owner, organization_id, 'answered', [DAY]);
    const today = daysAgo(0);
    const { vendor } = await owner.ok('reviewVendor', { id, outcome: 'APPROVED', reviewed_at: today });
    assert.equal([vendor.last_reviewed, (vendor.review as { reviewed_at: string }).reviewed_at], [today, today]);
    const { changes } = await owner.ok('listChanges', { organization_id, filter: { record_id: [id] } });
    assert.equal(
      changes.map(({ effective_at, changes: fields }) => [
        effective_at,
        fields.find(({ field }) => field === 'last_reviewed'),
      ]),
      [
        [today, { field: 'last_reviewed', from: DAY, to: today }],
        [DAY, { field: 'last_reviewed', from: null, to: DAY }],
      ],
    );
  });

  test('lists filter and sort a date as the end of its day', async ({ owner, organizationId: organization_id }) => {
    const reviews = [DAY, `${DAY}T23:00:00Z`, `${daysAgo(29)}T00:00:00Z`, `${DAY}T00:00:00Z`, daysAgo(31)];
    const ids = await addVendors(owner, organization_id, 'sorted', reviews);
    const list = async (input: object) => {
      const filter = { category: ['sorted'], ...(input as { filter?: object }).filter };
      const order_by = { field: 'last_reviewed' };
      const { vendors } = await owner.ok('listVendors', { organization_id, size: 2, order_by, ...input, filter });
      return vendors.map(({ id }) => ids.indexOf(id));
    };
    assert.equal(await list({ size: 9 }), [4, 3, 1, 0, 2]);
    assert.equal(await list({ filter: { reviewed_before: daysAgo(29) }, size: 9 }), [4, 3, 1, 0]);
    assert.equal(await list({ filter: { reviewed_before: `${DAY}T12:00:00Z` }, size: 9 }), [4, 3]);
    const first = await owner.ok('listVendors', {
      ...{ organization_id, size: 4, order_by: { field: 'last_reviewed' }, filter: { category: ['sorted'] } },
    });
    const rest = await owner.ok('listVendors', {
      ...{ organization_id, size: 4, order_by: { field: 'last_reviewed' }, filter: { category: ['sorted'] } },
      cursor: first.next_cursor,
    });
    assert.equal(
      rest.vendors.map(({ id }) => ids.indexOf(id)),
      [2],
    );
  });

  test('reports and files write the date, and version 1 of a report the time of then', async (served) => {
    const { owner, organizationId: organization_id, url, token } = served;
    const [id, other] = await addVendors(owner, organization_id, 'written', [DAY, `${DAY}T00:00:00Z`]);
    await owner.ok('reviewVendor', { id: other, outcome: 'APPROVED', reviewed_at: daysAgo(2) });
    await owner.ok('reviewVendor', { id: other, outcome: 'APPROVED', reviewed_at: daysAgo(1) });
    const getReport = reportCaller(owner, organization_id);
    const reviewsIn = async (input: object) => {
      const report = await wholeReport(getReport, { type: 'VENDORS', ...input });
      const rows = [id, other].map((each) => rowsOf(report, 'vendors').find((row) => row.id === each)!);
      return [report.report_version, rows.map(({ last_reviewed }) => last_reviewed)];
    };
    assert.equal(await reviewsIn({}), [2, [DAY, daysAgo(1)]]);
    const times = [`${DAY}T00:00:00.000Z`, `${daysAgo(1)}T23:59:59.999Z`];
    assert.equal(await reviewsIn({ report_version: '1' }), [1, times]);
    const changesIn = async (input: object) => {
      const report = await wholeReport(getReport, { type: 'CHANGES_BETWEEN', from: '1', ...input });
      const rows = rowsOf(report, 'changes').filter(({ record_id }) => record_id === other);
      return rows.slice(1).map(({ effective_at, changes }) => {
        const { from, to } = (changes as { field: string }[]).find(({ field }) => field === 'last_reviewed') as never;
        return [effective_at, from, to];
      });
    };
    assert.equal(await changesIn({}), [
      [daysAgo(2), `${DAY}T00:00:00.000Z`, daysAgo(2)],
      [daysAgo(1), daysAgo(2), daysAgo(1)],
    ]);
    const end = (day: string) => `${day}T23:59:59.999Z`;
    assert.equal(await changesIn({ report_version: '1' }), [
      [end(daysAgo(2)), `${DAY}T00:00:00.000Z`, end(daysAgo(2))],
      [end(daysAgo(1)), end(daysAgo(2)), end(daysAgo(1))],
    ]);
    const { text } = await requestFile(url, token, organization_id, 'records/vendors', { format: 'csv' });
    assert.match(text, new RegExp(`,${DAY},`));
    assert.match(text, new RegExp(`,${daysAgo(1)},`));
    assert.not.match(text, /23:59:59/);
    const csv = (await owner.ok('getReport', { organization_id, type: 'VENDORS', format: 'CSV' })) as unknown;
    const { content } = (csv as { report: { content: string } }).report;
    assert.match(content, new RegExp(`,${daysAgo(1)},`));
    assert.not.match(content, /23:59:59/);
  });

  test('a row has the identity that it had when its date was stored as a time', async (served) => {
    const { owner, organizationId: organization_id } = served;
    const row = { name: 'Once imported', last_reviewed: DAY };
    const answer = async () =>
      (await owner.ok('importRecords', { organization_id, type: 'VENDOR', rows: [row] })) as unknown as {
        rows: { id: string; result: string }[];
      };
    const [{ id, result }] = (await answer()).rows as [{ id: string; result: string }];
    assert.is(result, 'CREATED');
    assert.is((await answer()).rows[0]!.result, 'UNCHANGED');
    const withTime = { ...row, last_reviewed: `${DAY}T00:00:00Z` };
    const asTime = await owner.ok('importRecords', { organization_id, type: 'VENDOR', rows: [withTime] });
    assert.is((asTime as unknown as { rows: { id: string }[] }).rows[0]!.id, id);
  });
});
