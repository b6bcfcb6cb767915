/** Charts on pages and in reports: each part opens exactly the records that it counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; owner: TestBrowser; path: string }>('chart links');

test.before(async (context) => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  Object.assign(context, { web, owner, path: `/organizations/${web.organizationId}` });
  await addRecords(web);
});
test.after(({ web }) => web.stop());

/** Adds records for several parts of each chart, and some that no part may count. */
async function addRecords({ call, reader, organizationId: organization_id }: WebTest): Promise<void> {
  const add = <T extends object>(tool: string, fields: object) => call<T>(tool, { organization_id, ...fields });
  const rated = (likelihood: number, impact: number) => ({ inherent_likelihood: likelihood, inherent_impact: impact });
  await add('addRisk', { name: 'Fire', ...rated(4, 5) });
  await add('addRisk', { name: 'Flood', ...rated(4, 5) });
  await add('addRisk', { name: 'Wind', ...rated(5, 4) });
  await add('addRisk', { name: 'Frost', ...rated(5, 5), residual_likelihood: 2, residual_impact: 2 });
  await add('addRisk', { name: 'Sold the house', status: 'CLOSED', reason: 'sold', ...rated(4, 5) });
  await add('addRisk', { name: 'Never rated' });
  const { framework } = await add<{ framework: { id: string } }>('addFramework', {
    name: 'House rules',
    controls: ['A.5.1', 'A.5.2', 'A.5.3', 'A.6.1'].map((section_title) => ({
      section_title,
      name: `On ${section_title}`,
    })),
  });
  const { controls } = await add<{ controls: { id: string }[] }>('listControls', {
    filter: { framework_id: [framework.id] },
  });
  await add('updateControl', {
    id: controls[0]!.id,
    status: 'EXCLUDED',
    exclusion_justification: 'No such thing.',
    reason: 'Found out',
  });
  const { measure } = await add<{ measure: { id: string } }>('addMeasure', { name: 'Locks', state: 'IMPLEMENTED' });
  await add('linkRecords', { links: [{ from_id: measure.id, to_id: controls[1]!.id }] });
  const due = (days: number) => addDays(reader.snapshot().today(), days);
  await add('addMeasure', { name: 'Late', due_date: due(-3) });
  await add('addMeasure', { name: 'Soon', due_date: due(2), owner_id: 'ME' });
  await add('addVendor', { name: 'Nimbus', next_review_due: due(2) });
  await add('addVendor', { name: 'Stratus', next_review_due: due(9) });
}

/** Returns the links of a page's charts, with the number that each says. */
function partsOf(text: string): { href: string; label: string; count: number }[] {
  const links = [...text.matchAll(/<a href="([^"]+)" aria-label="([^"]+: (\d+)[^"]*)"/g)];
  return links.map(([, href, label, count]) => ({ href: unescapeHtml(href!), label: label!, count: Number(count) }));
}

async function assertOpensItsRecords({ owner }: { owner: TestBrowser }, text: string, labels: string[]): Promise<void> {
  const parts = partsOf(text);
  assert.equal(
    parts.map(({ label }) => label),
    labels,
  );
  for (const { href, label, count } of parts) {
    const list = await owner.get(href.replace(/^https?:\/\/[^/]+/, ''));
    assert.is(list.status, 200, label);
    assert.is([...list.text.matchAll(/ data-row/g)].length, count, `${label} opens ${href}`);
  }
}

const report = async ({ owner, path }: { owner: TestBrowser; path: string }, type: string) =>
  (await owner.get(`/api/v1${path}/reports/${type}?format=html`)).text;

test('a cell of the risk matrix opens its risks, on Home and in the report', async (context) => {
  const cells = ['Likelihood 5, impact 4: 1 risk', 'Likelihood 4, impact 5: 2 risks', 'Likelihood 2, impact 2: 1 risk'];
  await assertOpensItsRecords(context, (await context.owner.get(context.path)).text, cells);
  const month = addDays(context.web.reader.snapshot().today(), 0).slice(0, 7);
  await assertOpensItsRecords(context, await report(context, 'risk-register'), [
    `${month}, Low: 1`,
    `${month}, Critical: 3`,
    ...cells,
  ]);
});

test('a part of a framework’s coverage opens its controls, on the list and in the report', async (context) => {
  const { text } = await context.owner.get(`${context.path}/controls`);
  const legend = [...text.matchAll(/<\/svg> <a href="([^"]+)">([^<]+) (\d+)<\/a>/g)];
  assert.equal(
    legend.map(([, , label, count]) => `${label} ${count}`),
    ['Fully implemented 1', 'Partly 0', 'Started 0', 'Not started 2', 'Excluded 1'],
  );
  for (const [, href, label, count] of legend) {
    const list = await context.owner.get(unescapeHtml(href!));
    assert.is([...list.text.matchAll(/ data-row/g)].length, Number(count), label);
  }
  const squares = [...text.matchAll(/<a href="([^"]+)" tabindex="-1"><path[^>]*><title>([^<]+): /g)];
  assert.is(squares.length, 4);
  const control = await context.owner.get(unescapeHtml(squares[0]![1]!));
  assert.match(control.text, squares[0]![2]!);
  await assertOpensItsRecords(context, await report(context, 'statement-of-applicability'), [
    'A.5, Full: 1',
    'A.5, None: 1',
    'A.5, Excluded: 1',
    'A.6, None: 1',
  ]);
});

test('a day of the calendar of due items opens its items', async (context) => {
  const day = (days: number) => addDays(context.web.reader.snapshot().today(), days);
  await assertOpensItsRecords(context, await report(context, 'due-items'), [`${day(2)}: 2 due`, `${day(9)}: 1 due`]);
});

test.run();
