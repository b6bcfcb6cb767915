/** The search page, and its results alone for the palette: records of all families, pages and actions. */

import * as assert from 'uvu/assert';
import { type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };
const MANY = 12;

const test = webSuite<PageContext & { viewer: TestBrowser; path: string; before: number }>(
  'search',
  async ({ web }) => {
    const viewer = await web.invite(VIEWER, 'VIEWER');
    const organization_id = web.organizationId;
    const add = (type: string, rows: object[]) => web.call('importRecords', { organization_id, type, rows });
    await add('RISK', [
      { reference_id: 'R-1', name: 'Phishing mail', description: 'Backups are encrypted', status: 'OPEN' },
      ...Array.from({ length: MANY }, (_, index) => ({ reference_id: `R-1${index}`, name: `Flood ${index}` })),
    ]);
    const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'Backup Ltd' });
    const before = web.reader.snapshot().newestPosition(organization_id);
    await web.call('archiveRecords', { organization_id, ids: [vendor.id], action: 'ARCHIVE', reason: 'Gone' });
    await add('MEASURE', [
      { reference_id: 'M-1', name: 'Monthly backups', state: 'IMPLEMENTED' },
      { reference_id: 'M-2', name: 'Multi-factor authentication for all' },
      { reference_id: 'M-3', name: 'BLT' },
    ]);
    await add('OBLIGATION', [
      {
        requirement: 'Report incidents within a day',
        source: 'Directive on a high common level of security of networks (NIS 2), article 23',
      },
    ]);
    return { viewer, before, path: `/organizations/${organization_id}/search` };
  },
);

/** Returns the text of each result by its group, in order. */
function groupsIn(html: string): Record<string, string[]> {
  const groups = [...html.matchAll(/<section class="found" aria-label="([^"]*)">(.*?)<\/section>/gs)];
  const textOf = (inside: string) => unescapeHtml(inside.replace(/<[^>]*>/g, '')).trim();
  return Object.fromEntries(
    groups.map(([, title, inside]) => [
      title,
      [...inside!.matchAll(/<a [^>]*>(.*?)<\/a>/gs)].map(([, text]) => textOf(text!)),
    ]),
  );
}

test('finds words in all families, with number and state, and tells archived records apart', async ({
  owner,
  path,
}) => {
  const groups = groupsIn((await owner.get(`${path}?q=BACKUP`)).text);
  assert.equal(groups, {
    Risks: ['R-1 Phishing mail ! Open Description: Backups are encrypted'],
    Measures: ['M-1 Monthly backups ✓ Implemented'],
    Vendors: ['Backup Ltd ◐ Pending review Archived'],
  });
});

test('says where the words were found if number and title don’t show it', async ({ owner, path }) => {
  const resultsOf = async (query: string) => groupsIn((await owner.get(`${path}?q=${query}`)).text);
  for (const query of ['NIS2', 'nis+2', 'report+nis2']) {
    const { Obligations: [found] = [] } = await resultsOf(query);
    assert.match(found!, /^Report incidents.* Source: … of security of networks \(NIS 2\), article 23$/, query);
  }
  assert.equal((await resultsOf('phishing')).Risks, ['R-1 Phishing mail ! Open']);
});

test('puts a number first, and leads to all records where it shows only the first', async ({ owner, path }) => {
  const { text } = await owner.get(`${path}?q=r-1`);
  const { Risks: risks = [] } = groupsIn(text);
  assert.is(risks[0], 'R-1 Phishing mail ! Open');
  const padded = groupsIn((await owner.get(`${path}?q=r-001`)).text).Risks!;
  assert.equal(padded, ['R-1 Phishing mail ! Open', 'R-11 Flood 1 ! Open'], 'with the whole number 1, not with 10');
  assert.is(risks.at(-1), 'All risks that match');
  assert.is(risks.length, 9);
  const [, all] = /href="([^"]*)"[^>]*>All risks that match/.exec(text)!;
  const list = await owner.get(unescapeHtml(all!));
  assert.match(list.text, `${MANY + 1} of ${MANY + 1}`);
});

test('shows records that come near if none matches, also to a VIEWER', async ({ owner, viewer, path }) => {
  for (const browser of [owner, viewer]) {
    const { text } = await browser.get(`${path}?q=pishing`);
    assert.match(text, 'Nothing matches “pishing”. These come near.');
    assert.equal(groupsIn(text).Risks, ['R-1 Phishing mail ! Open']);
  }
  assert.equal(groupsIn((await owner.get(`${path}?q=bakcup`)).text).Vendors, ['Backup Ltd ◐ Pending review Archived']);
  const number = await owner.get(`${path}?q=R-999`);
  assert.equal(Object.keys(groupsIn(number.text)), ['Look further'], 'no other number');
});

test('finds pages and actions by the beginnings of their words', async ({ owner, viewer, path }) => {
  for (const browser of [owner, viewer]) {
    const { text } = await browser.get(`${path}?q=comp+mom`);
    assert.equal(groupsIn(text), { 'Pages and actions': ['Compare two moments'] });
  }
  const all = groupsIn((await owner.get(path)).text)['Pages and actions']!;
  for (const title of ['Home', 'Risks', 'Findings', 'Access log', 'Verify a file'])
    assert.ok(all.includes(title), title);
});

test('leads to pages that exist', async ({ owner, viewer, path, before }) => {
  for (const [browser, address] of [
    [owner, path],
    [viewer, path],
    [owner, `${path}?as_of=${before}`],
  ] as const) {
    const { text } = await browser.get(address);
    for (const [, href] of text.matchAll(/<a href="([^"]*)" data-row/g)) {
      assert.is((await browser.get(unescapeHtml(href!))).status, 200, href);
    }
  }
});

test('searches the moment shown', async ({ viewer, path, before }) => {
  const then = await viewer.get(`${path}?q=backup&as_of=${before}`);
  assert.equal(groupsIn(then.text), {
    Risks: ['R-1 Phishing mail ! Open Description: Backups are encrypted'],
    Vendors: ['Backup Ltd ◐ Pending review'],
  });
  assert.match(then.text, `/vendors/vnd_`);
  assert.match(then.text, `as_of=${before}" data-row`);
  assert.equal(Object.keys(groupsIn((await viewer.get(`${path}?q=backup`)).text)), ['Risks', 'Measures', 'Vendors']);
});

test('searches no records for one character, or for no word', async ({ owner, path }) => {
  for (const query of ['f', '--', '%20%20']) {
    const groups = groupsIn((await owner.get(`${path}?q=${query}`)).text);
    assert.equal(
      Object.keys(groups).filter((title) => !['Pages and actions', 'Look further'].includes(title)),
      [],
      query,
    );
  }
});

test('says what is searched if nothing matches, and offers next steps', async ({ owner, path }) => {
  const { text } = await owner.get(`${path}?q=zzzz`);
  assert.match(text, 'Nothing matches “zzzz”. The search finds names, numbers and words of records');
  assert.equal(groupsIn(text), { 'Look further': ['All risks', 'All changes'] });
});

test('says what an abbreviation may mean, in both directions', async ({ owner, path }) => {
  for (const [query, title] of [
    ['MFA', 'M-2 Multi-factor authentication for all'],
    ['Basic log test', 'M-3 BLT'],
  ]) {
    const { text } = await owner.get(`${path}?q=${query}`);
    assert.match(text, `No exact match. These may mean “${query}”.`);
    assert.match(groupsIn(text).Measures![0]!, title!);
  }
});

test('offers the words that find records alone, at the moment shown', async ({ owner, path, before }) => {
  const { text } = await owner.get(`${path}?q=monthly+castle+flood`);
  assert.equal(groupsIn(text), {
    'One of the words': ['monthly', 'flood'],
    'Look further': ['All risks', 'All changes'],
  });
  assert.match(text, 'q=monthly" data-row');
  const then = await owner.get(`${path}?q=monthly+castle+flood&as_of=${before}`);
  assert.equal(groupsIn(then.text)['One of the words'], ['flood']);
});

test('offers the lists that a state or a member names', async ({ owner, viewer, path }) => {
  const listsFor = async (browser: TestBrowser, query: string) =>
    groupsIn((await browser.get(`${path}?q=${query}`)).text)['Filtered lists'] ?? [];
  assert.equal(await listsFor(owner, 'suspended'), ['Vendors: Suspended']);
  assert.equal(await listsFor(owner, 'overdue+meas'), ['Measures: Overdue']);
  assert.ok((await listsFor(owner, 'over')).includes('Vendors: Review overdue'));
  assert.equal(await listsFor(owner, 'vendors'), []);
  assert.equal(await listsFor(owner, 'su'), []);
  for (const browser of [owner, viewer]) {
    assert.equal(await listsFor(browser, 'vera'), ['Due items of Vera Viewer']);
  }
  for (const query of ['implemented', 'vera', 'overdue']) {
    const { text } = await owner.get(`${path}?q=${query}`);
    const group = /aria-label="Filtered lists">(.*?)<\/section>/s.exec(text)![1]!;
    for (const [, href] of group.matchAll(/href="([^"]*)"/g)) {
      const list = await owner.get(unescapeHtml(href!));
      assert.is(list.status, 200, href);
      assert.match(list.text, /Remove (the|this) filter/, href);
    }
  }
});

test('sends the results alone for the palette', async ({ owner, path }) => {
  const { text, headers, status } = await owner.get(`${path}?q=phishing&part=results`);
  assert.is(status, 200);
  assert.match(text, /^<p class="sub" data-status(="true")?>1 result<\/p><section /);
  assert.is(headers['cache-control'], 'no-store');
  assert.match(String(headers['content-security-policy']), "default-src 'none'");
  assert.not.match((await owner.get(`${path}?q=%3Cimg+src%3Dx%3E&part=results`)).text, '<img');
});

test.run();
