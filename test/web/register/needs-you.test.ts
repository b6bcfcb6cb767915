/** Needs you: what is due of the reader's, and what it asks. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { SYSTEM_ACTOR } from '../../../src/identity/memberships/actor.ts';
import { DUE_KINDS } from '../../../src/reports/sections/due-rows.ts';
import { dueDistance, dueRequest } from '../../../src/web/register/home/due-requests.ts';
import { dayText } from '../../../src/web/texts/dates.ts';
import { rowsOf, type WholeReport, wholeReport } from '../../support/reports.ts';
import { until } from '../../support/run/wait.ts';
import { startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const EDITOR = { name: 'Edith Editor', email: 'edith@example.org', password: 'a quite long password 7' };
const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };
const LEAVER = { name: 'Leo Leaver', email: 'leo@example.org', password: 'a quite long password 9' };

const test = suite<{ web: WebTest; owner: TestBrowser; editor: TestBrowser; viewer: TestBrowser; path: string }>(
  'needs you',
);

test.before(async (context) => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  const editor = await web.invite(EDITOR, 'EDITOR');
  const viewer = await web.invite(VIEWER, 'VIEWER');
  const path = `/organizations/${web.organizationId}/needs-you`;
  Object.assign(context, { web, owner, editor, viewer, path });
  const today = web.reader.snapshot().today();
  const { organizationId: organization_id } = web;
  const accountOf = async (email: string) => (await web.people.accounts.findByEmail(email))!.id;
  const measure = (name: string, days: number, owner_id: string) =>
    web.call('addMeasure', { organization_id, name, due_date: addDays(today, days), owner_id });
  await measure('Restore test', -4, 'ME');
  await measure('Firewall review', 12, 'ME');
  await measure('Far away', 31, 'ME');
  await measure('Locked cabinets', 3, await accountOf(EDITOR.email));
  await measure('Visitor list', -1, await accountOf(VIEWER.email));
});
test.after(({ web }) => web.stop());

/** Returns the names of the records that a page lists, in order. */
const listed = ({ text }: { text: string }) =>
  [...text.matchAll(/<a href="[^"]*\/measures\/[^>]*>([^<]*)</g)].map(([, name]) => name);

/** Returns the address without each filter, by the filter's words. */
const filtersOf = ({ text }: { text: string }) =>
  Object.fromEntries(
    [...text.matchAll(/<a href="([^"]*)" aria-label="Remove the filter ([^"]*)"/g)].map(([, href, words]) => [
      unescapeHtml(words!),
      unescapeHtml(href!),
    ]),
  );

test('lists the reader’s items of the next 30 days, the most overdue first, with what they ask', async (context) => {
  const page = await context.owner.get(context.path);
  assert.equal(listed(page), ['Restore test', 'Firewall review']);
  assert.match(page.text, '2 items, up to 30 days ahead');
  assert.match(page.text, '4 days over');
  assert.match(page.text, 'in 12 days');
  assert.match(page.text, dueRequest('MEASURE'));
});

test('lists the items of everyone, with their owners', async ({ owner, editor, viewer, path }) => {
  const names = ['Restore test', 'Visitor list', 'Locked cabinets', 'Firewall review'];
  for (const browser of [owner, editor, viewer]) {
    const page = await browser.get(`${path}?owner=all`);
    assert.equal(listed(page), names);
    assert.match(page.text, `>${EDITOR.name}</div>`);
  }
  assert.equal(listed(await editor.get(path)), ['Locked cabinets']);
  assert.equal(listed(await viewer.get(path)), ['Visitor list']);
});

test('lists the items of one person', async ({ web, owner, viewer, path }) => {
  const edith = (await web.people.accounts.findByEmail(EDITOR.email))!.id;
  const page = await owner.get(`${path}?owner=${edith}&overdue=false`);
  assert.equal(listed(page), ['Locked cabinets']);
  assert.match(page.text, `Due items of ${EDITOR.name}`);
  assert.equal(filtersOf(page), {
    [`Owner: ${EDITOR.name}`]: `${path}?overdue=false`,
    'Not overdue': `${path}?owner=${edith}`,
  });
  const none = await owner.get(`${path}?owner=${edith}&overdue=true`);
  assert.equal(Object.keys(filtersOf(none)), [`Owner: ${EDITOR.name}`, 'Overdue']);
  assert.equal(listed(await viewer.get(`${path}?owner=${edith}`)), ['Locked cabinets']);
  const unknown = await owner.get(`${path}?owner=acc_unknown`);
  assert.equal(listed(unknown), []);
  assert.equal(filtersOf(unknown), { 'Owner: acc_unknown': path });
});

test('shows its filters, each with a link that removes it', async ({ owner, path }) => {
  assert.equal(filtersOf(await owner.get(path)), {});
  const query = 'kind=MEASURE&overdue=true&until=2999-12-31&owner=all';
  assert.equal(filtersOf(await owner.get(`${path}?${query}`)), {
    'Kind: Measures': `${path}?overdue=true&until=2999-12-31&owner=all`,
    'Owner: Everyone': `${path}?kind=MEASURE&overdue=true&until=2999-12-31`,
    Overdue: `${path}?kind=MEASURE&until=2999-12-31&owner=all`,
    'Until 31 Dec 2999': `${path}?kind=MEASURE&overdue=true&owner=all`,
  });
  const evidence = 'kind=EVIDENCE_ENDS&kind=NONCONFORMITY';
  const namesOf = async (more: string) => Object.keys(filtersOf(await owner.get(`${path}?${evidence}${more}`)));
  assert.equal(await namesOf('&overdue=true'), ['Kind: Evidence expired, Findings', 'Overdue']);
  assert.equal(await namesOf('&overdue=false'), ['Kind: Evidence expiring, Findings', 'Not overdue']);
  assert.equal(await namesOf(''), ['Kind: Evidence expiring or expired, Findings']);
});

test('offers kinds and owners, one owner at a time, and takes the form’s empty fields away', async (context) => {
  const { owner, path } = context;
  const { text } = await owner.get(path);
  const labelsOf = (name: string, type: string) =>
    [...text.matchAll(new RegExp(`<input type="${type}" name="${name}"[^>]*><span>([^<]*)`, 'g'))].map(
      ([, label]) => label,
    );
  assert.is(labelsOf('kind', 'checkbox').length, DUE_KINDS.length);
  assert.equal(labelsOf('owner', 'radio'), ['Me', 'Everyone', EDITOR.name, VIEWER.name]);
  const answer = await owner.get(`${path}?kind=MEASURE&kind=OBLIGATION&overdue=&from=&until=`);
  assert.equal([answer.status, answer.to], [303, `${path}?kind=MEASURE&kind=OBLIGATION`]);
});

test('sorts the items by each heading, and back', async ({ web, owner, path }) => {
  const byHeading = async (heading: string, query = '?owner=all&kind=MEASURE') => {
    const { text } = await owner.get(path + query);
    const [, href] = new RegExp(`<th[^>]*><a href="([^"]*)">${heading}`).exec(text)!;
    const sorted = await owner.get(unescapeHtml(href!));
    return { names: listed(sorted), sort: /aria-sort="(\w+)"/.exec(sorted.text)![1], query: href!.replace(path, '') };
  };
  const byDate = ['Restore test', 'Visitor list', 'Locked cabinets', 'Firewall review'];
  const { names, sort } = await byHeading('Due');
  assert.equal([names, sort], [byDate.toReversed(), 'descending']);
  const byRecord = await byHeading('Record');
  assert.equal([byRecord.names, byRecord.sort], [byDate.toSorted(), 'ascending']);
  assert.equal((await byHeading('Record', unescapeHtml(byRecord.query))).names, byDate.toSorted().reverse());
  const byOwner = ['Restore test', 'Firewall review', 'Locked cabinets', 'Visitor list'];
  const byOwnerName = await byHeading('Owner');
  assert.equal(byOwnerName.names, byOwner);
  const { organizationId: organization_id } = web;
  const due_date = addDays(web.reader.snapshot().today(), 1);
  const { measure } = await web.call<{ measure: { id: string } }>('addMeasure', {
    organization_id,
    name: 'Nobody’s',
    due_date,
  });
  const nobodysIsAt = async (query?: string) => (await byHeading('Owner', query)).names.indexOf('Nobody’s');
  assert.equal([await nobodysIsAt(), await nobodysIsAt(unescapeHtml(byOwnerName.query))], [4, 4], 'always last');
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id,
    name: 'Flood',
    next_review_due: due_date,
  });
  const { text } = await owner.get(`${path}?owner=all&order_by=kind&direction=ASC`);
  const [ofMeasure, ofRisk] = ['MEASURE', 'RISK_REVIEW'].map((kind) => text.lastIndexOf(dueRequest(kind)));
  assert.ok(0 < ofMeasure! && ofMeasure! < ofRisk!, 'Finish … stands before Review …');
  const ids = [measure.id, risk.id];
  await web.call('archiveRecords', { organization_id, ids, action: 'ARCHIVE', reason: 'Sorted' });
  const byKind = await byHeading('What it needs');
  assert.equal(byKind.names, byDate);
  assert.match(byKind.query, 'order_by=kind&amp;direction=ASC');
  assert.equal(listed(await owner.get(`${path}?owner=all&order_by=constructor`)), byDate);
});

test('downloads exactly the items that it shows', async ({ web, owner, path }) => {
  const today = web.reader.snapshot().today();
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  const edith = (await web.people.accounts.findByEmail(EDITOR.email))!.id;
  const [soon, ago] = [addDays(today, 5), addDays(today, -2)];
  for (const query of [
    ...['', 'owner=all', 'owner=all&overdue=true', 'owner=all&overdue=false', 'kind=MEASURE&kind=VENDOR_REVIEW'],
    ...[`owner=${edith}`, `owner=all&from=${ago}&until=${soon}`, `owner=all&as_of=${position}`],
  ]) {
    const page = await owner.get(`${path}?${query}`);
    const files = [...page.text.matchAll(/<a href="(\/api[^"]*format=(\w+)[^"]*)"/g)];
    assert.equal(
      files.map(([, , format]) => format),
      ['xlsx', 'csv', 'json'],
      query,
    );
    const file = await owner.get(unescapeHtml(files[2]![1]!));
    assert.is(file.status, 200, file.text.slice(0, 500));
    const { report } = JSON.parse(file.text) as { report: WholeReport };
    const names = rowsOf(report, 'due_items').map(({ name }) => name);
    assert.equal(
      names,
      [...page.text.matchAll(/<a href="[^"]*" data-row[^>]*>([^<]*)</g)].map(([, name]) => name),
      query,
    );
  }
  assert.not.match((await owner.get(`${path}?kind=AUDIT_STARTS`)).text, 'Download');
});

test('narrows the list by kind, by date, and to what is overdue or not', async ({ owner, path }) => {
  assert.equal(listed(await owner.get(`${path}?overdue=true`)), ['Restore test']);
  assert.equal(listed(await owner.get(`${path}?overdue=false`)), ['Firewall review']);
  const none = await owner.get(`${path}?kind=VENDOR_REVIEW&until=2027-01-31`);
  assert.match(none.text, /Nothing that matches is due until <time[^>]*>31 Jan 2027<.time>\./);
  const web = await owner.get(`${path}?kind=MEASURE&until=2999-12-31`);
  assert.equal(listed(web), ['Restore test', 'Firewall review', 'Far away']);
});

test('says of an empty list only what is so, beside its filters', async ({ web, owner, path }) => {
  const idle = await web.invite({ ...EDITOR, name: 'Idle', email: 'idle@example.org' }, 'EDITOR');
  const today = web.reader.snapshot().today();
  const before = web.reader.snapshot().newestPosition(web.organizationId);
  const idleId = (await web.people.accounts.findByEmail('idle@example.org'))!.id;
  const saidBy = async (query: string, browser = idle) =>
    unescapeHtml(
      /<p>(Nothing .*?)<\/p>/.exec((await browser.get(`${path}?${query}`)).text)![1]!.replace(/<[^>]+>/g, ''),
    );
  const ahead = dayText(addDays(today, 30));
  for (const [query, sentence] of [
    ['', `Nothing needs you in the next 30 days, until ${ahead}.`],
    ['until=2999-12-31', 'Nothing needs you until 31 Dec 2999.'],
    ['overdue=true', 'Nothing of yours is overdue.'],
    ['overdue=true&kind=MEASURE', 'Nothing that matches is overdue.'],
    ['overdue=false', `Nothing that matches is due in the next 30 days, until ${ahead}.`],
    ['kind=EVIDENCE_ENDS&owner=all', `Nothing that matches is due in the next 30 days, until ${ahead}.`],
    [`from=${addDays(today, 20)}&owner=all`, `Nothing that matches is due in the next 30 days, until ${ahead}.`],
    [`as_of=${before}`, `Nothing needed you within 30 days of ${dayText(today)}.`],
    ['as_of=1&owner=all&overdue=true', 'Nothing was overdue.'],
    [`as_of=${before}&owner=all&kind=AUDIT`, `Nothing that matches was due within 30 days of ${dayText(today)}.`],
  ] as const) {
    assert.is(await saidBy(query), sentence, query);
  }
  const ofIdle = await saidBy(`owner=${idleId}`, owner);
  assert.is(ofIdle, `Nothing that matches is due in the next 30 days, until ${ahead}.`);
});

test('leads from an empty list to the items that others own, or nobody does', async ({ web, editor, path }) => {
  const today = web.reader.snapshot().today();
  const { organizationId: organization_id } = web;
  await web.call('addVendor', { organization_id, name: 'Nimbus', next_review_due: addDays(today, -1) });
  const linkOf = async (query: string) => {
    const { text } = await editor.get(`${path}?from=${addDays(today, -30)}&until=${addDays(today, 2)}${query}`);
    const link = /<p><a href="([^"]*)">([^<]*(?:owner|none)[^<]*)<\/a><\/p>/.exec(text);
    return link && { href: unescapeHtml(link[1]!), words: link[2]! };
  };
  assert.is((await linkOf('&kind=VENDOR_REVIEW'))?.words, '1 item has no owner');
  assert.is((await linkOf('&kind=MEASURE'))?.words, '2 items have other owners');
  assert.is(await linkOf('&kind=AUDIT'), null);
  const { href, words } = (await linkOf('&kind=MEASURE&kind=VENDOR_REVIEW'))!;
  assert.is(words, '3 items have other owners or none');
  assert.match((await editor.get(href)).text, '<p class="sub">3 items</p>');
  assert.is(await linkOf('&owner=all'), null);
});

test('says how many of these items belong to people who have left', async ({ web, editor, path }) => {
  const today = web.reader.snapshot().today();
  const { organizationId: organization_id, members } = web;
  await web.invite(LEAVER, 'EDITOR');
  const { id: owner_id } = (await web.people.accounts.findByEmail(LEAVER.email))!;
  const audit = { name: 'Spring audit', starts_on: addDays(today, -1), owner_id };
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    ...{ organization_id, name: 'House rules', controls: [{ section_title: '1', name: 'Doors' }] },
  });
  await web.call('addAudit', { organization_id, framework_id: framework.id, ...audit });
  const said = async () =>
    /<p><a [^>]*>(1 item [^<]*)<\/a>([^<]*)<\/p>/.exec((await editor.get(`${path}?kind=AUDIT_STARTS`)).text);
  assert.equal((await said())?.slice(1), ['1 item has another owner', '']);
  await members.remove(organization_id, owner_id, SYSTEM_ACTOR);
  await until(async () => (await said())?.[2] === '. The owner of 1 left.', 5_000, 'the page says so');
  assert.match((await editor.get(`${path}?kind=AUDIT_STARTS&owner=all`)).text, `>${LEAVER.name} (left)<`);
});

test('asks nobody to renew evidence that newer evidence of the same record replaces', async ({ web, owner, path }) => {
  const { organizationId: organization_id, call, reader } = web;
  const day = (days: number) => addDays(reader.snapshot().today(), days);
  const add = async (tool: string, key: string, fields: object) =>
    (await call<Record<string, { id: string }>>(tool, { organization_id, ...fields }))[key]!.id;
  const [backup, restore, locks] = [
    await add('addMeasure', 'measure', { name: 'Backup' }),
    await add('addMeasure', 'measure', { name: 'Restore' }),
    await add('addMeasure', 'measure', { name: 'New locks' }),
  ];
  const evidence = (name: string, record_ids: string[], collected: number, until: number) =>
    add('addEvidence', 'evidence', {
      ...{ name, record_ids, text: 'It works.', owner_id: 'ME' },
      ...{ collected_at: day(collected), valid_until: day(until) },
    });
  const reported = async (input: object) => {
    const getReport = (more: object) => call<WholeReport>('getReport', { organization_id, format: 'JSON', ...more });
    return rowsOf(await wholeReport(getReport, { type: 'DUE_ITEMS', kinds: ['EVIDENCE_ENDS'], ...input }), 'due_items');
  };
  /** The page, Home's tiles, the rail and the report must agree. */
  const asked = async () => {
    const { text } = await owner.get(`${path}?kind=EVIDENCE_ENDS&owner=all`);
    const names = [...text.matchAll(/\/evidence\/[^>]*data-row[^>]*>([^<]*)</g)].map(([, name]) => name);
    assert.equal(
      (await reported({})).map(({ name }) => name),
      names,
    );
    return names;
  };
  const counts = async () => {
    const { text } = await owner.get(path.replace('/needs-you', ''));
    const tile = (label: string) => Number(new RegExp(`<b>(\\d+)</b>(?:(?!<b>).)*${label}`).exec(text)![1]);
    return [
      tile('Overdue'),
      tile('Evidence expiring'),
      Number(/needs-you[^>]*>Needs you<span class="count">(\d+)/.exec(text)![1]),
    ];
  };
  const before = await counts();
  const difference = async () => (await counts()).map((count, index) => count - before[index]!);
  await evidence('First test', [backup, restore], -400, -40);
  await evidence('Short test', [locks], -300, 10);
  assert.equal(await asked(), ['First test', 'Short test']);
  assert.equal(await difference(), [1, 1, 2]);
  // It was collected before the others, although it is valid longer.
  await evidence('Older, valid longer', [backup, restore], -500, 900);
  assert.equal(await asked(), ['First test', 'Short test']);
  const newer = await evidence('Autumn test', [restore], -30, 300);
  assert.equal(await asked(), ['Short test']);
  assert.equal(await difference(), [0, 1, 1]);
  assert.not.match((await owner.get(`${path.replace('needs-you', 'evidence')}/${newer}`)).text, 'Replaced by newer');
  const { records } = await call<{ records: { replaced: boolean }[] }>('getRecords', { organization_id, ids: [newer] });
  assert.is(records[0]!.replaced, false);
  await call('archiveRecords', { organization_id, action: 'ARCHIVE', ids: [newer], reason: 'Of another system.' });
  assert.equal(await asked(), ['First test', 'Short test']);
  assert.equal(await difference(), [1, 1, 2]);
  await call('archiveRecords', { organization_id, action: 'RESTORE', ids: [newer], reason: 'It is of this one.' });
  assert.equal(await asked(), ['Short test']);
  assert.is((await reported({ report_version: '1' })).length, 2);
});

test('says of every kind of due item what it asks, before its date and after it', () => {
  for (const { name } of DUE_KINDS) {
    assert.is.not(dueRequest(name), '', name);
    assert.not.match(dueRequest(name), /before|ends\b|expires/, name);
  }
});

test('counts days to and from a due date', () => {
  assert.is(dueDistance('2026-03-01', '2026-03-01'), 'today');
  assert.is(dueDistance('2026-02-28', '2026-03-01'), '1 day over');
  assert.is(dueDistance('2026-03-31', '2026-03-29'), 'in 2 days');
});

test('takes an unknown value of overdue for none', async ({ owner, path }) => {
  const all = listed(await owner.get(path));
  for (const value of ['__proto__', 'constructor', 'maybe']) {
    assert.equal(listed(await owner.get(`${path}?overdue=${value}`)), all, value);
  }
});

test('shows the score of a risk', async ({ web, owner, path }) => {
  const { organizationId: organization_id } = web;
  const ratings = { inherent_likelihood: 3, inherent_impact: 5 };
  const fields = { name: 'Phishing mail', owner_id: 'ME', next_review_due: '2099-01-01', ...ratings };
  await web.call('addRisk', { organization_id, ...fields });
  const { text } = await owner.get(`${path}?kind=RISK_REVIEW&until=2999-12-31`);
  assert.match(text, /Phishing mail<\/a> <span class="score tone-critical">15</);
});

test.run();
