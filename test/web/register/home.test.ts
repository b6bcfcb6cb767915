/** Home: numbers that lead to exactly the rows they count. */

import { renderToString } from 'preact-render-to-string';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { TileList } from '../../../src/web/register/home/home-cards.tsx';
import { Sparkline } from '../../../src/web/register/home/sparkline.tsx';
import { quarterEnds } from '../../../src/web/register/moments/quarter-ends.ts';
import { MAX_COUNT } from '../../../src/web/texts/counts.ts';
import { type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const EDITOR = { name: 'Edith Editor', email: 'edith@example.org', password: 'a quite long password 7' };
const AUDITOR = { name: 'Otto Auditor', email: 'otto@example.org', password: 'a quite long password 9' };
const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };

let sealingProblem: string | null = null;

const test = webSuite<PageContext & { editor: TestBrowser; viewer: TestBrowser; path: string }>(
  'home',
  async ({ web }) => {
    const editor = await web.invite(EDITOR, 'EDITOR');
    const viewer = await web.invite(VIEWER, 'VIEWER');
    return { editor, viewer, path: `/organizations/${web.organizationId}` };
  },
  { sealingProblem: async () => sealingProblem },
);

/** Adds a record for each tile, and one beside it that the tile must not count. */
async function addRecords({ call, reader, organizationId: organization_id }: WebTest): Promise<void> {
  const day = (days: number) => addDays(reader.snapshot().today(), days);
  const add = async (tool: string, fields: object) => call(tool, { organization_id, ...fields });
  const rated = (likelihood: number) => ({ inherent_likelihood: likelihood, inherent_impact: 5 });
  await add('addRisk', { name: 'Fire', ...rated(4) });
  await add('addRisk', { name: 'Flood', ...rated(3) });
  await add('addRisk', { name: 'Wind', ...rated(2) });
  await add('addRisk', { name: 'Sold the house', status: 'CLOSED', reason: 'sold', ...rated(5) });
  await add('addMeasure', { name: 'Restore test', due_date: day(-4) });
  const { measure } = await call<{ measure: { id: string } }>('addMeasure', { organization_id, name: 'Locks' });
  const evidence = { record_ids: [measure.id], text: 'It works.', collected_at: day(-100) };
  await add('addEvidence', { name: 'Ends soon', ...evidence, valid_until: day(30) });
  await add('addEvidence', { name: 'Ends later', ...evidence, valid_until: day(31) });
  await add('addEvidence', { name: 'Has ended', ...evidence, valid_until: day(-1) });
  await add('addNonconformity', { description: 'No inventory' });
  await add('addNonconformity', { description: 'Closed long ago', status: 'IN_PROGRESS' });
  await add('addVendor', { name: 'Nimbus', next_review_due: day(-1) });
  await add('addFramework', {
    name: 'House rules',
    controls: [
      { section_title: 'H.1', name: 'Doors are locked' },
      { section_title: 'H.2', name: 'Windows too' },
    ],
  });
}

interface Tile {
  count: number;
  label: string;
  address: string | null;
}

function tilesOf(text: string): Tile[] {
  const pattern = /<(?:a|div) class="tile"(?: href="([^"]+)")?><b>(\d+)<\/b>.*?<span>([^<]+)<\/span>/g;
  return [...text.matchAll(pattern)].map(([, address, count, label]) => ({
    count: Number(count),
    label: label!,
    address: address === undefined ? null : unescapeHtml(address),
  }));
}

test('invites to begin while there are no records', async ({ owner, path }) => {
  const { text } = await owner.get(path);
  for (const card of ['Bring a spreadsheet', 'Adopt a framework', 'Connect an assistant']) assert.match(text, card);
  assert.not.match(text, 'class="tiles"');
  const start = await owner.get(`${path}/getting-started`);
  assert.match(start.text, 'npx veritrail import suppliers.xlsx --type vendors --dry-run');
  assert.match(start.text, /type can also be risks, measures.* or \w+\./);
  assert.match(start.text, '<code>DATA_DIR</code>');
  assert.match(start.text, 'Adopt ISO/IEC 27001');
});

test('offers a role only the beginnings that it may make', async ({ viewer, editor, path }) => {
  for (const page of [path, `${path}/getting-started`]) {
    const [ofViewer, ofEditor] = [(await viewer.get(page)).text, (await editor.get(page)).text];
    assert.not.match(ofViewer, /(?:Import|Bring) a spreadsheet|Adopt a framework|npx veritrail/, page);
    assert.match(ofEditor, /(?:Import|Bring) a spreadsheet/);
    assert.not.match(ofEditor, 'Adopt a framework');
  }
  assert.match((await viewer.get(`${path}/getting-started`)).text, 'Your role, Viewer, reads the register.');
  const link = `href="${path}/getting-started"`;
  assert.match((await editor.get(`${path}/settings`)).text, link);
  assert.not.match((await viewer.get(`${path}/settings`)).text, link);
});

test('leads from each number to exactly the rows that it counts', async ({ web, owner, path }) => {
  await addRecords(web);
  const tiles = tilesOf((await owner.get(path)).text);
  assert.equal(
    tiles.map(({ count, label }) => [count, label]),
    [
      [3, 'Overdue'],
      [2, 'Risks scored 15 or more'],
      [2, 'Controls without a working measure'],
      [1, 'Evidence expiring in 30 days'],
      [2, 'Open findings (oldest: 0 d)'],
      [1, 'Vendors past review'],
    ],
  );
  for (const { count, label, address } of tiles) {
    const { text, status } = await owner.get(address!);
    assert.is(status, 200, label);
    assert.is([...text.matchAll(/<tr/g)].length - 1, count, label);
  }
});

test('says of a past week that it was that week', async ({ web, owner, path }) => {
  const position = web.reader.snapshot().newestPosition(web.organizationId) - 1;
  const { text } = await owner.get(`${path}?as_of=${position}`);
  assert.match(text, 'What changed that week');
  assert.not.match(text, /this week|last 7 days/);
});

test('tells of a change of the week as its history does, and counts those that its link lists', async ({
  web,
  owner,
  path,
}) => {
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id: web.organizationId,
    name: 'Hail',
    residual_likelihood: 2,
    residual_impact: 3,
  });
  const changed = {
    organization_id: web.organizationId,
    id: risk.id,
    residual_likelihood: 3,
    reason: 'Twice this year',
  };
  await web.call('updateRisk', changed, 'Claude');
  const week = /<ul class="plain week">.*?<\/ul><a href="([^"]*)">(.*?)<\/a>/s.exec((await owner.get(path)).text)!;
  const line = week[0].replace(/<[^>]+>/g, '');
  assert.match(line, /Residual likelihood 2 → 3 · Twice this year · .*with Claude/);
  assert.match(line, /\d{4}, \d\d:\d\d UTC/, 'with the minute');
  const [, count] = /^All (\d+ changes) of this week$/.exec(week[2]!)!;
  assert.match((await owner.get(unescapeHtml(week[1]!))).text, `${count}, newest first`);
});

test('tells of records and members of the week, and of no token or seal', async ({ web, owner, path }) => {
  await web.seal();
  for (const at of ['', '?as_of=3']) {
    const week = /<ul class="plain week">.*?<\/ul>/s.exec((await owner.get(`${path}${at}`)).text)![0];
    assert.match(week, /<li>/);
    assert.not.match(week, /Token|seal/i, week);
  }
  const { text } = await owner.get(`${path}/changes?as_of=3`);
  assert.match(text, 'Token created', 'the history has it');
  // The seal's own line says of a past moment when it was sealed, and of one before the first change nothing.
  const lineOf = async (query: string) => {
    const [line] = /<span>(Last s|S)ealed .*?<\/span>/.exec((await owner.get(`${path}${query}`)).text) ?? [''];
    return line.replace(/<[^>]+>/g, '');
  };
  assert.match(await lineOf(''), /^Last sealed .+ UTC, up to change \d+$/);
  assert.match(await lineOf('?as_of=1'), /^Sealed .+ UTC$/);
  assert.is(await lineOf('?as_of=2020-01-01'), '');
});

test('leads from the name to the account', async ({ owner, path }) => {
  assert.match((await owner.get(path)).text, /<a href="\/settings\/account" class="name"/);
});

test('shows a viewer what an editor sees, except what an editor may do', async ({ viewer, editor, path }) => {
  const ofEditor = (await editor.get(path)).text;
  const { text } = await viewer.get(path);
  assert.equal(tilesOf(text), tilesOf(ofEditor));
  for (const past of ['What changed this week', '/reports/posture?format=html', 'This quarter so far</a>']) {
    assert.match(ofEditor, past);
    assert.match(text, past);
  }
  assert.is((await viewer.get(`${path}?as_of=2020-01-01`)).status, 200);
});

test('says why sealing has stopped', async ({ owner, viewer, path }) => {
  sealingProblem = 'Sealing has stopped: between positions 3 and 5.';
  assert.match(
    (await owner.get(path)).text,
    '<p class="notice warning">Sealing has stopped: between positions 3 and 5.',
  );
  assert.match((await viewer.get(path)).text, 'Sealing has stopped');
  sealingProblem = null;
  assert.not.match((await owner.get(path)).text, 'Sealing has stopped');
});

test('counts at the moment that the page shows', async ({ web, owner, path }) => {
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  await web.call('addRisk', {
    organization_id: web.organizationId,
    name: 'Theft',
    inherent_likelihood: 4,
    inherent_impact: 4,
  });
  const risks = (text: string) => tilesOf(text).find(({ label }) => label.startsWith('Risks'))!;
  assert.is(risks((await owner.get(path)).text).count, 3);
  const then = risks((await owner.get(`${path}?as_of=${position}`)).text);
  assert.is(then.count, 2);
  assert.match(then.address!, `as_of=${position}`);
});

test('offers past moments: a day, a minute, audits and the ends of quarters', async ({ web, owner, path }) => {
  const { organizationId: organization_id } = web;
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id,
    name: 'Yard rules',
    controls: [{ section_title: 'Y.1', name: 'Gates are locked' }],
  });
  const { audit } = await web.call<{ audit: { id: string } }>('addAudit', {
    organization_id,
    framework_id: framework.id,
    name: 'First certification',
    kind: 'CERTIFICATION',
  });
  assert.not.match((await owner.get(path)).text, 'First certification <small>');
  await web.call('updateAudit', { id: audit.id, state: 'COMPLETED', reason: 'Found out' });
  await web.call('addRisk', { organization_id, name: 'After the audit' });
  const list = await owner.get(`${path}/risks?status=OPEN`);
  assert.match(list.text, `href="${path}/risks?status=OPEN&amp;as_of=${audit.id}">First certification`);
  for (const { day } of quarterEnds(web.reader.snapshot().today())) assert.match(list.text, `as_of=${day}"`);
  const home = await owner.get(path);
  assert.match(home.text, 'See how you stood at your certification audit');
  const then = await owner.get(`${path}?as_of=${audit.id}`);
  assert.match(then.text, /<title[^>]*>Home · \d+ \w+ \d{4}, \d\d:\d\d UTC · /);
  assert.match(then.text, 'First certification, as completed.');
  assert.match(then.text, '1 change since.');
  assert.not.match(then.text, 'See how you stood');
  assert.match(then.text, 'What changed since?');
  assert.match(then.text, `href="${path}/compare?from=${audit.id}">See what changed since`);
});

test('draws 90 days in a line whose text names the lowest and the highest number', () => {
  const html = renderToString(Sparkline({ values: [2, 2, 5, 5, 1] }));
  assert.match(html, 'aria-label="lowest 1, highest 5"');
  assert.match(html, 'd="M0 14.5H2V1H4V19H4"');
  assert.match(renderToString(Sparkline({ values: [0, 0] })), 'aria-label="always 0"');
});

test('counts no further than 10,000, and compares no such count', () => {
  const numbers = { count: MAX_COUNT + 1, change: null, better: 'FEWER', history: [3, 4] } as const;
  const tile = { label: 'Overdue', ...numbers, address: '/overdue' };
  const html = renderToString(TileList({ tiles: [tile], period: { since: '2026-08-28', words: 'in 90 days' } }));
  assert.match(html, '<b>10,000+</b>');
  assert.match(html, 'aria-label="lowest 3, highest 4"');
  assert.not.match(html, 'in 90 days');
});

test('calls a change good or bad only where it is, and names the day since which it counts', () => {
  const shown = (change: number, better: 'FEWER' | 'MORE' | null) => {
    const tile = { label: 'Some', count: 3, change, better, history: [], address: '/some' };
    return renderToString(TileList({ tiles: [tile], period: { since: '2026-09-30', words: null } }));
  };
  assert.match(shown(-1, null), /<small>−1 since <time datetime="2026-09-30" data-local="date">30 Sep 2026</);
  assert.match(shown(-1, 'FEWER'), /<small class="better">−1 since <time[^>]*>30 Sep 2026<\/time>, better</);
  assert.match(shown(1, 'FEWER'), /<small class="worse">\+1 .*, worse</);
  assert.match(shown(1, 'MORE'), '<small class="better">+1');
  assert.match(shown(0, 'FEWER'), /<small>±0 since <time[^>]*>30 Sep 2026<\/time><\/small>/);
});

test('lists the audits for an auditor, with the changes since and the pack', async ({ web, path }) => {
  const auditor = await web.invite(AUDITOR, 'AUDITOR');
  const { text } = await auditor.get(path);
  assert.not.match(text, 'class="tiles"');
  const [row = ''] = /<tr[^>]*>(?:(?!<tr).)*First certification.*?<\/tr>/.exec(text) ?? [];
  assert.match(row, 'Yard rules');
  assert.match(row, 'Completed');
  const [, since = '', changes] = /href="([^"]+)">(\d+) changes? since/.exec(row) ?? [];
  const compared = await auditor.get(unescapeHtml(since));
  assert.is(compared.status, 200);
  const { total } = await web.call<{ total: number }>('listChanges', {
    organization_id: web.organizationId,
    filter: { from: /aud_\w+/.exec(since)![0] },
    view: 'COUNT',
  });
  assert.is(Number(changes), total - 1, 'the completion itself is not since');
  const asOf = (await auditor.get(`${path}?as_of=${/aud_\w+/.exec(since)![0]}`)).text;
  assert.match(asOf, /First certification.*?>0 changes until then</);
  assert.not.match(asOf, '0 changes since');
  const [, pack = ''] = /href="([^"]+\/pack)"/.exec(row) ?? [];
  assert.is((await auditor.get(pack)).status, 200);
});

test('takes a minute as its end, in UTC', async ({ owner, path }) => {
  const { text, status } = await owner.get(`${path}?as_of=2020-02-29T10:30`);
  assert.is(status, 200);
  assert.match(text, 'as_of=2020-02-29T10%3A30%3A59.999Z');
});

test('shows the changes over time as days, and from 20 events on as bars', async ({ web, owner, path }) => {
  const today = web.reader.snapshot().today();
  const bars = (text: string) => [...text.matchAll(/<a href="([^"]+)" tabindex="-1"/g)].map(([, href]) => href);
  assert.ok(web.reader.snapshot().newestPosition(web.organizationId) >= 20);
  const addresses = bars((await owner.get(`${path}/risks?status=OPEN`)).text);
  assert.is(addresses.at(-1), `${path}/risks?status=OPEN&amp;as_of=${today}`);
  for (const address of bars((await owner.get(path)).text)) assert.is((await owner.get(address!)).status, 200, address);
  const { id } = await web.members.createOrganization('Second', web.ownerId);
  const few = (await owner.get(`/organizations/${id}`)).text;
  assert.match(few, new RegExp(`href="/organizations/${id}\\?as_of=(\\d{4}-\\d\\d-\\d\\d)"><time datetime="\\1"`));
  assert.equal(bars(few), []);
});

test('knows the ends of quarters across years', () => {
  const ends = quarterEnds('2026-02-11');
  assert.equal(
    ends.map(({ day, quarter }) => `${day} ${quarter}`),
    [
      '2025-12-31 Q4 2025',
      '2025-09-30 Q3 2025',
      '2025-06-30 Q2 2025',
      '2025-03-31 Q1 2025',
      '2024-12-31 Q4 2024',
      '2024-09-30 Q3 2024',
      '2024-06-30 Q2 2024',
      '2024-03-31 Q1 2024',
    ],
  );
  assert.is(quarterEnds('2026-10-01')[0]!.day, '2026-09-30');
});

test('takes today’s date in the address for now', async ({ web, owner, viewer, path }) => {
  const today = web.reader.snapshot().today();
  for (const browser of [owner, viewer]) {
    const { status, text } = await browser.get(`${path}?as_of=${today}`);
    assert.is(status, 200);
    assert.not.match(text, 'You are viewing');
  }
});

test('shows the minute that has not ended yet', async ({ owner, path }) => {
  const minute = new Date().toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  const { status, text } = await owner.get(`${path}?as_of=${minute}`);
  assert.is(status, 200);
  assert.match(text, 'You are viewing');
});

test('refuses an address with very many parameters', async ({ viewer, path }) => {
  assert.is((await viewer.get(`${path}?${'a&'.repeat(501)}`)).status, 400);
});

test.run();
