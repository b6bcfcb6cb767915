/** The report EVIDENCE: the register of evidence with its filter. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSmallRegister } from '../support/histories/small-register.ts';
import { daysAgo } from '../support/histories/story.ts';
import { requestFile } from '../support/mcp/request-file.ts';
import { digestOfAnswer, figuresOf, type GetReport, reportCaller, rowsOf, wholeReport } from '../support/reports.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

interface Context extends ServedPair {
  getReport: GetReport;
  /** Two measures, and evidence of the first by name. */
  measures: readonly string[];
  ids: Readonly<Record<string, string>>;
  account: string;
}

const test = suite<Context>('the report of evidence');

/** Evidence of the first measure. The last one is of both. */
const EVIDENCE: readonly [name: string, fields: object][] = [
  ['Digest of a contract', { sha256: 'ab'.repeat(32) }],
  ['Page of the provider', { url: 'https://example.org/status', sha256: 'cd'.repeat(32), valid_until: daysAgo(-9) }],
  ['Restore test', { text: 'It took 40 minutes.', valid_until: daysAgo(3) }],
  ['Screenshot', { url: 'https://example.org/picture', owner_id: 'ME' }],
];

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
  const { owner, organizationId: organization_id } = context;
  await writeSmallRegister(owner, organization_id);
  const add = async (tool: string, input: object) =>
    Object.values((await owner.ok(tool, { organization_id, ...input })) as object)[0] as { id: string };
  const measures = [await add('addMeasure', { name: 'Restore' }), await add('addMeasure', { name: 'Watch' })];
  context.measures = measures.map(({ id }) => id);
  const ids: Record<string, string> = {};
  for (const [name, fields] of EVIDENCE) {
    const record_ids = name === 'Screenshot' ? context.measures : context.measures.slice(0, 1);
    ids[name] = (await add('addEvidence', { name, record_ids, ...fields })).id;
  }
  const { organizations } = await owner.ok('listOrganizations', {});
  context.account = String((organizations[0] as { account_id?: unknown }).account_id);
  context.ids = ids;
  context.getReport = reportCaller(owner, organization_id);
});
test.after((served) => served.close());

const namesOf = (report: Awaited<ReturnType<typeof wholeReport>>) => rowsOf(report, 'evidence').map(({ name }) => name);

test('filters by kind, end of validity, owner, linked record and words', async ({ getReport, measures, account }) => {
  const linked_to = measures[0]!;
  const names = async (filter: object, more: object = {}) =>
    namesOf(await wholeReport(getReport, { type: 'EVIDENCE', filter: { linked_to, ...filter }, ...more }));
  const [digest, page, restore, screenshot] = EVIDENCE.map(([name]) => name);
  assert.equal(await names({}), [digest, page, restore, screenshot]);
  assert.equal(await names({ kind: ['FILE'] }), [digest]);
  assert.equal(await names({ kind: ['URL', 'TEXT'] }), [page, restore, screenshot]);
  assert.equal(await names({ valid_until_before: daysAgo(0) }), [restore]);
  assert.equal(await names({ valid_until_before: daysAgo(-9) }), [restore], 'before the day');
  assert.equal(await names({ valid_until_before: daysAgo(-10) }), [page, restore]);
  assert.equal(await names({ query: 'prov' }), [page]);
  assert.equal(await names({ linked_to: measures[1] }), [screenshot]);
  for (const owner of ['ME', account]) {
    assert.equal(await names({ owner_id: [owner] }), [screenshot]);
    assert.equal(await names({}, { owner_id: owner }), [screenshot]);
  }
});

test('refuses an owner who neither is nor was a member, also in the filter', async (context) => {
  const { owner, organizationId: organization_id, account } = context;
  const unknown = account.replace(/.{4}$/, '0000');
  for (const [inputs, field] of [
    [{ owner_id: unknown }, 'owner_id'],
    [{ filter: { owner_id: [account, unknown] } }, 'filter.owner_id.1'],
  ] as const) {
    const refused = await owner.refused('getReport', { organization_id, type: 'EVIDENCE', ...inputs });
    assert.equal([refused.code, refused.field], ['invalid_input', field]);
  }
});

test('has figures and inputs of what the filter finds, and what each piece is attached to', async (context) => {
  const { getReport, measures, account } = context;
  const filter = { kind: ['TEXT', 'URL'], linked_to: measures[0], owner_id: ['ME'] };
  const report = await wholeReport(getReport, { type: 'EVIDENCE', filter });
  assert.equal(figuresOf(report), { evidence: 1, evidence_expired: 0 });
  assert.equal(report.inputs, { filter: JSON.stringify({ ...filter, owner_id: [account] }) }, 'ME is resolved');
  assert.equal(report.about, [
    { label: 'Kind', value: 'Text, Address' },
    { label: 'Owner', value: account },
    { label: 'Evidence of', value: 'Restore' },
  ]);
  const [row] = rowsOf(report, 'evidence');
  const records = [...(row!.records as { id: string; name: string }[])].sort((a, b) => a.name.localeCompare(b.name));
  assert.equal(
    records,
    measures.map((id, index) => ({ id, name: ['Restore', 'Watch'][index] })),
  );
  assert.is(digestOfAnswer(report), report.digest);
  const all = await wholeReport(getReport, { type: 'EVIDENCE', filter: { linked_to: measures[0] } });
  assert.equal(figuresOf(all), { evidence: 4, evidence_expired: 1 });
  assert.equal(
    rowsOf(all, 'evidence').map(({ expired }) => expired),
    [false, false, true, false],
  );
});

test('shows a past position, with the links and the digest of then', async (context) => {
  const { owner, getReport, measures, ids } = context;
  const input = { type: 'EVIDENCE', filter: { linked_to: measures[0] } };
  const before = await wholeReport(getReport, input);
  const screenshot = ids.Screenshot!;
  await owner.ok('linkRecords', {
    links: [{ from_id: screenshot, to_id: measures[0] }],
    action: 'UNLINK',
    reason: 'Found out',
  });
  await owner.ok('archiveRecords', { ids: [ids['Restore test']], action: 'ARCHIVE', reason: 'It was wrong.' });
  const now = await wholeReport(getReport, input);
  assert.equal(namesOf(now), ['Digest of a contract', 'Page of the provider']);
  const then = await wholeReport(getReport, { ...input, as_of: before.position });
  assert.equal([namesOf(then), then.digest], [namesOf(before), before.digest]);
  await owner.ok('linkRecords', { links: [{ from_id: screenshot, to_id: measures[0] }] });
  await owner.ok('archiveRecords', { ids: [ids['Restore test']], action: 'RESTORE', reason: 'It was right.' });
});

test('continues a long report after any page', async ({
  owner,
  organizationId: organization_id,
  getReport,
  measures,
}) => {
  const text = 'A long text. '.repeat(1_500);
  for (let number = 10; number < 20; number += 1) {
    const fields = { name: `Protocol ${number}`, record_ids: measures, text };
    await owner.ok('addEvidence', { organization_id, ...fields });
  }
  const report = await wholeReport(getReport, { type: 'EVIDENCE', filter: { query: 'protocol' } });
  assert.ok(report.pages > 2);
  assert.equal(
    namesOf(report),
    Array.from({ length: 10 }, (_, index) => `Protocol ${10 + index}`),
  );
});

test('shows nothing of another organization', async ({ getReport, organizationId, foreignOrganization, measures }) => {
  const foreign = await foreignOrganization();
  const theirs = reportCaller(foreign.owner, foreign.id);
  assert.equal(namesOf(await wholeReport(theirs, { type: 'EVIDENCE' })), []);
  const filter = { linked_to: measures[0] };
  for (const [organization_id, field] of [
    [organizationId, 'organization_id'],
    [foreign.id, 'filter.linked_to'],
  ]) {
    const error = await foreign.owner.refused('getReport', { organization_id, type: 'EVIDENCE', filter });
    assert.equal([error.code, error.field], ['not_found', field]);
  }
  assert.ok(namesOf(await wholeReport(getReport, { type: 'EVIDENCE' })).length > 4);
});

test('takes the filter for evidence only, and unused values as left out', async ({ owner, organizationId }) => {
  const organization_id = organizationId;
  const unused = { kind: [], valid_until_before: '', owner_id: null, linked_to: null, query: '' };
  await owner.ok('getReport', { organization_id, type: 'VENDORS', filter: unused });
  const refusals: [object, string][] = [
    [{ type: 'VENDORS', filter: { query: 'a' } }, 'filter'],
    [{ type: 'EVIDENCE', filter: { kind: ['PHOTO'] } }, 'filter.kind.0'],
    [{ type: 'EVIDENCE', filter: { status: ['OPEN'] } }, 'filter.status'],
    [{ type: 'EVIDENCE', owner_id: 'ME', filter: { owner_id: ['ME'] } }, 'owner_id'],
  ];
  for (const [input, field] of refusals) {
    const error = await owner.refused('getReport', { organization_id, ...input });
    assert.equal([error.code, error.field], ['invalid_input', field]);
  }
});

test('is a file in every format, with each filter as a parameter', async ({ url, token, organizationId, measures }) => {
  const query = { kind: ['URL', 'FILE'], linked_to: measures[0]!, query: 'page' };
  for (const format of ['html', 'csv', 'markdown', 'json']) {
    const { status, text } = await requestFile(url, token, organizationId, 'reports/evidence', { format, ...query });
    assert.is(status, 200, format);
    assert.match(text, 'Page of the provider');
    assert.not.match(text, 'Screenshot');
    if (format === 'html') assert.match(text, /<td class="word">Address</);
    else assert.match(text, 'URL');
  }
});

test.run();
