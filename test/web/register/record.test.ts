/** The page of a record: its heading, facts, links and timeline, today and in the past, for each role. */

import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate, recordAggregate } from '../../../src/commands/families.ts';
import { envelopeFor } from '../../support/register.ts';
import { type TestBrowser, unescapeHtml, withoutFormTokens } from '../../support/web/web.ts';
import { addRecord, type PageContext, person, textIn, webSuite } from '../../support/web/web-suite.ts';

const EVIL = `"><img src=x onerror="alert('1')">`;

interface Context extends PageContext {
  viewer: TestBrowser;
  risk: string;
  measure: string;
  evidence: string;
}

const test = webSuite<Context>('record page', async ({ web }) => {
  const viewer = await web.invite(person('Vi'), 'VIEWER');
  const { organizationId: organization_id, ownerId: owner_id } = web;
  const ratings = { inherent_likelihood: 4, inherent_impact: 5, residual_likelihood: 2, residual_impact: 5 };
  const fields = { reference_id: 'R-005', name: 'Phishing mail', next_review_due: '2024-02-25', owner_id, ...ratings };
  const risk = await addRecord({ web }, 'addRisk', { ...fields, category: EVIL });
  const measure = await addRecord({ web }, 'addMeasure', {
    reference_id: 'M-08',
    name: 'Exercises',
    due_date: '2026-04-01',
  });
  await web.call('linkRecords', { organization_id, links: [{ from_id: risk, to_id: measure }] });
  const validity = { text: 'Report', valid_until: '2024-02-20' };
  const evidence = await addRecord({ web }, 'addEvidence', {
    name: 'Exercise report',
    record_ids: [risk],
    ...validity,
  });
  const change = { organization_id, id: risk, residual_likelihood: 3, reason: `17 of 94 clicked ${EVIL}` };
  await web.call('updateRisk', change, 'Claude');
  return { viewer, risk, measure, evidence };
});

const headOf = (html: string) => textIn(/<header class="record-head">.*?<\/header>/s.exec(html)![0]);

/** Returns the entries of the timeline, the newest first. */
const entriesOf = (html: string) => [...html.matchAll(/<li id="change-(\d+)".*?(?=<li id="change-|<\/ol>)/gs)];

test('shows number, title, state, score, owner, due date and the reason', async ({ owner, base, risk }) => {
  const { status, text } = await owner.get(`${base}/risks/${risk}`);
  assert.is(status, 200);
  const head = headOf(text);
  assert.match(head, /Risks R-005 Phishing mail .*! Open 15 ! Critical Owner: Ada Byron/);
  assert.match(head, /Next review: 25 Feb 2024 ! \d+ days over/);
  assert.match(
    head,
    /Critical: residual likelihood 3 × impact 5; likelihood rose from 2 to 3 on \d+ \w+ \d+ \. M-08 is linked but not implemented\./,
  );
});

test('groups the facts, and folds empty fields', async ({ owner, base, risk }) => {
  const facts = /<section[^>]*aria-labelledby="facts".*?<\/section>/s.exec(
    (await owner.get(`${base}/risks/${risk}`)).text,
  )![0];
  assert.equal(
    [...facts.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, title]) => title),
    ['About', 'Assessment', 'Dates', 'People'],
  );
  assert.match(textIn(facts), /empty fields.*Description · Note · Review interval · Treatment · Reviewed · Acceptance/);
  assert.match(textIn(facts), new RegExp(`${risk} · revision 2 · added .* · facts last changed `));
});

test('shows the time of a past state as unknown where its file has none', async ({ web, owner, base }) => {
  const rows = [{ name: 'Locks', state: 'IMPLEMENTED' }];
  const input = { organization_id: web.organizationId, type: 'MEASURE', rows };
  const answer = await web.call<{ rows: { id: string }[] }>('importRecords', input);
  const { text } = await owner.get(`${base}/measures/${answer.rows[0]!.id}`);
  assert.match(textIn(text), /Dates Implemented unknown/);
});

test('lists links by family with their states, and evidence with its expiry', async ({
  owner,
  base,
  risk,
  measure,
}) => {
  const { text } = await owner.get(`${base}/risks/${risk}`);
  assert.match(textIn(text), /Measures 1 Link… M-08 Exercises · Not started/);
  assert.ok(text.includes(`href="${base}/measures/${measure}"`));
  assert.match(textIn(text), /Evidence 1 Attach evidence Exercise report ! Expired 20 Feb 2024/);
});

test('tells people and assistants apart, and filters by address', async ({ owner, base, risk }) => {
  const page = `${base}/risks/${risk}`;
  const entries = entriesOf((await owner.get(page)).text);
  assert.is(entries.length, 4);
  assert.match(
    textIn(entries[0]![0]),
    /Residual likelihood 2 → 3 · 17 of 94 clicked .* · Ada Byron, through an assistant, with Claude 1.* · \d+ \w+ \d{4}, \d\d:\d\d UTC Risk assessed /,
  );
  assert.match(entries[0]![0], /class="bot"/);
  for (const [entry] of entries.slice(1)) assert.not.match(entry, /class="bot"|assistant/);
  assert.match(textIn((await owner.get(page)).text), /4 changes · Only assistants’ changes · Before and after/);
  const { text } = await owner.get(`${page}?made_by=assistants`);
  assert.match(textIn(text), /1 change made by assistants · Show all changes/);
  const assisted = entriesOf(text);
  assert.equal(
    assisted.map(([, position]) => position),
    [entries[0]![1]],
  );
});

test('says of a fact on hover who wrote it, and in which change', async ({ owner, base, risk }) => {
  const { text } = await owner.get(`${base}/risks/${risk}`);
  const titles = [...text.matchAll(/<dt>([^<]+)<\/dt><dd title="([^"]+)"/g)].map(
    ([, label, title]) => `${label}: ${title}`,
  );
  const [newest] = entriesOf(text);
  assert.match(titles.join('\n'), `Residual likelihood: Written by Ada Byron, with Claude 1`);
  assert.match(titles.join('\n'), `change ${newest![1]}`);
});

test('heads an entry with the one short field that changed, or names the event', async ({ owner, base, risk }) => {
  const [newest, ...older] = entriesOf((await owner.get(`${base}/risks/${risk}`)).text).map(([entry]) => entry);
  assert.match(newest!, /<b class="diff">Residual likelihood <del>2<\/del> → <ins>3<\/ins><\/b>/);
  assert.ok(older.some((entry) => /<b class="diff">Linked with Exercises<\/b>.*<a [^>]*>Exercises<\/a>/.test(entry)));
  assert.ok(older.some((entry) => entry.includes('<b class="diff">Risk added</b>')));
});

test('does not take an import for an assistant', async ({ web, owner, base, measure: id }) => {
  const change = { organization_id: web.organizationId, id, category: 'People' };
  await web.call('updateMeasure', change, 'veritrail import');
  const { text } = await owner.get(`${base}/measures/${id}`);
  const [newest] = entriesOf(text);
  assert.not.match(text, 'Only assistants’ changes');
  assert.match(textIn(newest![0]), /Ada Byron, with veritrail import/);
  assert.not.match(newest![0], /class="bot"|assistant/);
  const assisted = entriesOf((await owner.get(`${base}/measures/${id}?made_by=assistants`)).text);
  assert.equal(assisted, []);
});

test('highlights the change of the address, or leads to it', async ({ owner, base, risk }) => {
  const page = `${base}/risks/${risk}`;
  const [newest, , , oldest] = entriesOf((await owner.get(page)).text);
  const highlighted = await owner.get(`${page}?change=${oldest![1]}`);
  assert.match(highlighted.text, new RegExp(`<li id="change-${oldest![1]}" class="highlighted" aria-current="true"`));
  const missing = await owner.get(`${page}?as_of=${oldest![1]}&change=${newest![1]}`);
  assert.ok(missing.text.includes(`href="${page}?as_of=${newest![1]}&amp;change=${newest![1]}"`));
});

test('shows the record as it was', async ({ owner, base, risk }) => {
  const page = `${base}/risks/${risk}`;
  const [newest] = entriesOf((await owner.get(page)).text);
  const past = await owner.get(`${page}?as_of=${Number(newest![1]) - 1}`);
  assert.match(headOf(past.text), /R-005 Phishing mail ! Open 10 ! High/);
  assert.match(past.text, /You are viewing/);
  assert.match(
    headOf(past.text),
    /Since then: score 10 → 15, residual likelihood 2 → 3, residual score 10 → 15, priority high → critical\. Today: ! Open 15 ! Critical See it as it is today/,
  );
  assert.is(entriesOf(past.text).length, 3);
});

test('names all that changed since: fields, links, evidence, and the states of what is linked', async ({
  web,
  owner,
  base,
}) => {
  const { organizationId: organization_id } = web;
  const newestPosition = async () => {
    const { changes } = await web.call<{ changes: { position: string }[] }>('listChanges', {
      organization_id,
      size: 1,
    });
    return changes[0]!.position;
  };
  const control = await addRecord({ web }, 'addMeasure', { reference_id: 'M-20', name: 'Restores' });
  const finding = await addRecord({ web }, 'addNonconformity', {
    reference_id: 'NC-01',
    description: 'No restore test',
  });
  await web.call('linkRecords', { organization_id, links: [{ from_id: control, to_id: finding }] });
  const page = `${base}/measures/${control}?as_of=${await newestPosition()}`;
  const sentence = async () =>
    /(?:It has not|Since then|Nothing that).*See it/.exec(headOf((await owner.get(page)).text))![0];
  assert.is(await sentence(), 'It has not changed since. See it');
  await addRecord({ web }, 'addEvidence', { name: 'Restore test', record_ids: [control], text: 'Report' });
  assert.is(await sentence(), 'Since then: 1 piece of evidence added. See it');
  for (const step of [
    { root_cause: 'No time', corrective_action: 'Plan it', status: 'IN_PROGRESS' },
    { status: 'PENDING_VERIFICATION', effectiveness_check: 'Seen' },
    { status: 'CLOSED' },
  ]) {
    await web.call('updateNonconformity', { organization_id, id: finding, reason: 'Found out', ...step });
  }
  assert.is(await sentence(), 'Since then: NC-01 closed, 1 piece of evidence added. See it');
  await web.call('archiveRecords', { organization_id, action: 'ARCHIVE', ids: [finding], reason: 'Twice' });
  assert.is(await sentence(), 'Since then: NC-01 archived, 1 piece of evidence added. See it');
  await web.call('archiveRecords', { organization_id, action: 'RESTORE', ids: [finding], reason: 'It was right' });
  await web.call('linkRecords', {
    organization_id,
    action: 'UNLINK',
    links: [{ from_id: control, to_id: finding }],
    reason: 'Found out',
  });
  await web.call('updateMeasure', { organization_id, id: control, description: 'Every quarter' });
  assert.match(
    await sentence(),
    'Since then: description recorded, NC-01 unlinked, 1 piece of evidence added. Today: · Not started See it',
  );
});

test('says in the frame when a record was added, at a moment before', async ({ owner, base, risk }) => {
  const page = `${base}/risks/${risk}`;
  for (const path of [page, `${page}/revisions`]) {
    const { status, text } = await owner.get(`${path}?as_of=1`);
    assert.is(status, 404, path);
    const words = textIn(text);
    const time = String.raw`\d+ \w+ \d+, \d\d:\d\d UTC`;
    assert.match(words, new RegExp(`R-005 did not exist on ${time} ?\\. It was added on ${time} ?\\.`));
    assert.match(words, /You are viewing/);
    assert.ok(text.includes(`href="${path}"`), 'leads to the page of today');
    assert.ok(text.includes(`href="${base}/risks?as_of=1"`), 'leads to the list then');
  }
});

test('shows the record before and after, by default its newest change, and marks each fact that differs', async ({
  owner,
  base,
  risk,
}) => {
  const page = `${base}/risks/${risk}`;
  const entries = entriesOf((await owner.get(page)).text);
  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr role="row"><th scope="row".*?<\/tr>/gs)].map(([row]) => textIn(row).trim());
  const changed = (html: string) => rowsOf(html).filter((row) => / changed /.test(row));
  const newest = await owner.get(`${page}/revisions`);
  assert.is(newest.status, 200);
  assert.match(textIn(newest.text), /Changed: score 10 → 15, residual likelihood 2 → 3, /);
  assert.ok(rowsOf(newest.text).includes('Risk Phishing mail Phishing mail'), 'what stayed is shown too');
  assert.ok(changed(newest.text).includes('Residual likelihood changed 2 3'));
  assert.ok(rowsOf(newest.text).every((row) => !/^Inherent .* changed/.test(row)));
  const [linked, added] = [entries[2]![1], entries[3]![1]];
  const links = await owner.get(`${page}/revisions?from=${added}&to=${linked}`);
  assert.equal(changed(links.text), ['Measures changed M-08 Exercises · Not started ! Overdue']);
  assert.match(textIn(links.text), /Changed: M-08 linked\./);
  const beforeAndAfter = await owner.get(`${page}/revisions?to=${linked}`);
  assert.ok(entries[2]![0].includes(`href="${page}/revisions?to=${linked}"`));
  assert.equal(rowsOf(beforeAndAfter.text), rowsOf(links.text));
  const addition = textIn((await owner.get(`${page}/revisions?to=${added}`)).text);
  assert.match(addition, /It was added between these moments\. .*: not added yet/);
  const beginning = await owner.get(`${page}/revisions?from=1&to=${added}`);
  assert.match(textIn(beginning.text), /After change 1: not added yet/);
  const heads = (html: string) => [...html.matchAll(/<th scope="col".*?<\/th>/gs)].map(([head]) => textIn(head).trim());
  const time = String.raw`\d+ \w+ \d+, \d\d:\d\d UTC`;
  const [, before, after] = heads(links.text);
  assert.match(before!, new RegExp(`^After: Risk added, ${time} \\(change ${added}\\)$`));
  assert.match(after!, new RegExp(`^After: Linked, ${time} \\(change ${linked}\\)$`));
  assert.is(heads(newest.text).at(-1), 'Today');
  for (const [query, message] of [
    ['from=nothing', 'From is not a date that we know. Choose one, for example 2025-10-23.'],
    ['to=2099-01-01', 'Until is in the future. Give an earlier moment, or today’s date'],
  ] as const) {
    const { status, text } = await owner.get(`${page}/revisions?${query}`);
    assert.is(status, 400, query);
    assert.match(textIn(text), message);
    assert.match(text, `<option value="${query.split('=')[1]}" selected`);
  }
});

test('opens on the newest change of a field, though a link came later', async ({ web, owner, base }) => {
  const id = await addRecord({ web }, 'addRisk', { name: 'Flood' });
  const { organizationId: organization_id } = web;
  await web.call('updateRisk', { organization_id, id, description: 'The cellar is below the river.' });
  const measure = await addRecord({ web }, 'addMeasure', { reference_id: 'M-77', name: 'Pumps' });
  await web.call('linkRecords', { organization_id, links: [{ from_id: id, to_id: measure }] });
  const page = textIn((await owner.get(`${base}/risks/${id}/revisions`)).text);
  assert.match(page, /Changed: .*M-77 linked\./);
  assert.match(page, /Description changed – The cellar/);
});

test('compares a record of the past with the same record today', async ({ owner, base, risk }) => {
  const page = `${base}/risks/${risk}`;
  const [, , linked] = entriesOf((await owner.get(page)).text).map(([, position]) => position);
  const past = unescapeHtml((await owner.get(`${page}?as_of=${linked}`)).text);
  const [, address] = /href="([^"]+)">\s*Compare with today/.exec(past)!;
  assert.is(address, `${page}/revisions?from=${linked}`);
  const words = textIn((await owner.get(address!)).text);
  assert.match(words, /Changed: score 10 → 15, .*1 piece of evidence added/);
  assert.match(
    unescapeHtml((await owner.get(`${base}/risks?as_of=${linked}`)).text),
    /compare\?from=\d+">\s*Compare with/,
  );
});

test('leads from the newest 50 changes to all of them', async ({ web, owner, base }) => {
  const { organizationId: organization_id } = web;
  const id = await addRecord({ web }, 'addMeasure', { name: 'Exercises' });
  await web.call('updateMeasure', { organization_id, id, category: 'Training' }, 'claude');
  for (let number = 1; number <= 50; number += 1) {
    await web.call('updateMeasure', { organization_id, id, description: `Exercise ${number}` });
  }
  const { text } = await owner.get(`${base}/measures/${id}`);
  assert.is(entriesOf(text).length, 50);
  assert.match(textIn(text), 'History The newest 50 changes');
  assert.ok(text.includes(`href="${base}/changes?record_id=${id}"`));
  const assisted = (await owner.get(`${base}/measures/${id}?made_by=assistants`)).text;
  assert.match(textIn(assisted), '0 changes made by assistants among the newest 50');
  const all = `${base}/changes?record_id=${id}&made_by=assistants`;
  assert.ok(unescapeHtml(assisted).includes(`href="${all}"`));
  const changes = entriesOf((await owner.get(all)).text);
  assert.is(changes.length, 1);
  assert.match(textIn(changes[0]![0]), 'claude');
});

test('marks archived records', async ({ web, owner, base }) => {
  const id = await addRecord({ web }, 'addVendor', { name: 'Nimbus' });
  await web.call('archiveRecords', {
    organization_id: web.organizationId,
    action: 'ARCHIVE',
    ids: [id],
    reason: 'Not used',
  });
  assert.match(headOf((await owner.get(`${base}/vendors/${id}`)).text), /Nimbus .*Archived \d+ \w+ \d+/);
});

test('shows a VIEWER the history, the past and the revisions', async ({ viewer, base, risk }) => {
  const { status, text } = await viewer.get(`${base}/risks/${risk}`);
  assert.is(status, 200);
  assert.match(headOf(text), /R-005 Phishing mail/);
  assert.match(text, /id="history".*clicked/s);
  const [, then = ''] = /href="([^"]*\/risks\/[^"]*as_of=\d+)"/.exec(text) ?? [];
  assert.is((await viewer.get(unescapeHtml(then))).status, 200, then);
  assert.is((await viewer.get(`${base}/risks/${risk}/revisions`)).status, 200);
});

test('does not show records of other organizations or families', async ({ web, owner, base, risk }) => {
  const organization_id = randomId('org');
  const envelope = envelopeFor({ organization_id });
  const create = { name: 'Other', import_key: 'k', installation: web.installation, owner_id: 'acc_1' };
  await web.identity.handler.execute(
    organizationAggregate(organization_id),
    { type: 'CreateOrganization', ...create },
    envelope,
  );
  const id = randomId('rsk');
  await web.identity.handler.execute(recordAggregate(id), { type: 'AddRisk', fields: { name: 'Secret' } }, envelope);
  // The next write of this organization is projected after the other organization's.
  await addRecord({ web }, 'addVendor', { name: 'Later' });
  const revisions = `${base}/risks/${id}/revisions`;
  for (const path of [
    revisions,
    `${base}/risks/${id}`,
    `${base}/vendors/${risk}`,
    `${base}/risks/${randomId('rsk')}`,
  ]) {
    const { status, text } = await owner.get(path);
    assert.is(status, 404, path);
    assert.not.match(text, /Secret/);
  }
  // In the past, these ids get exactly the page of an id that exists nowhere.
  const unknown = await owner.get(`${base}/risks/${randomId('rsk')}?as_of=1`);
  assert.is(unknown.status, 404);
  for (const path of [revisions, `${base}/risks/${id}`, `${base}/vendors/${risk}`]) {
    const { status, text } = await owner.get(`${path}?as_of=1`);
    assert.is(status, 404, path);
    assert.is(withoutFormTokens(text), withoutFormTokens(unknown.text), path);
  }
  assert.is((await owner.get(`/organizations/${organization_id}/risks/${id}`)).status, 404);
});

test('escapes what was recorded and what the address says', async ({ owner, base, risk }) => {
  const query = new URLSearchParams({ change: EVIL, made_by: EVIL });
  const { text } = await owner.get(`${base}/risks/${risk}?${query}`);
  assert.not.match(text, /<img|onerror="/);
  assert.ok(text.includes('&lt;img'), 'the hostile text is shown');
});

test.run();
