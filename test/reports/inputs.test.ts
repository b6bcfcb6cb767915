import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { derivedId } from '../../src/commands/engine/ids.ts';
import type { Caller } from '../../src/commands/organization/caller.ts';
import type { OrganizationCommand } from '../../src/commands/organization/organization-state.ts';
import { executeOrganizationCommand } from '../../src/identity/memberships/actor.ts';
import { REPORT_TYPES } from '../../src/reports/all-reports.ts';
import { daysAgo } from '../support/histories/story.ts';
import { type Answer, callerAs, startRegister, type TestRegister } from '../support/register.ts';
import { digestOfAnswer, figuresOf, rowsOf, type WholeReport, wholeReport } from '../support/reports.ts';

/** The inputs of reports: accepted, refused, and at the first event. */

interface Context {
  register: TestRegister;
  getReport(input: object): Promise<Answer>;
}

const test = suite<Context>('inputs of reports');

test.before.each(async (context) => {
  const register = await startRegister();
  const { organizationId: organization_id } = register;
  Object.assign(context, {
    register,
    getReport: (input: object) => register.call('getReport', { organization_id, format: 'JSON', ...input }),
  });
});
test.after.each(({ register }) => register.stop());

const refusalOf = (answer: Answer) => {
  const { code, field } = answer.error as { code: string; field?: string };
  return [code, field];
};

test('reports of an organization without records are empty', async ({ getReport }) => {
  for (const type of REPORT_TYPES.filter(
    (candidate) => candidate !== 'AUDIT_PACK' && candidate !== 'STATEMENT_OF_APPLICABILITY',
  )) {
    const report = await wholeReport(getReport, { type, ...(type === 'CHANGES_BETWEEN' ? { from: daysAgo(1) } : {}) });
    assert.is(digestOfAnswer(report), report.digest, type);
    const figures = type === 'CHANGES_BETWEEN' ? [] : report.data.figures;
    assert.is(figures.length > 0, type !== 'CHANGES_BETWEEN', type);
    assert.ok(
      figures.every(({ value }) => value === 0 || value === null),
      type,
    );
  }
  assert.equal(refusalOf(await getReport({ type: 'STATEMENT_OF_APPLICABILITY' })), ['invalid_input', 'framework_id']);
});

test('a report of a moment before the first event is empty', async ({ getReport }) => {
  const report = await wholeReport(getReport, { type: 'POSTURE', as_of: daysAgo(500) });
  assert.equal([report.position, report.as_of, report.today], ['0', null, daysAgo(500)]);
  assert.ok(report.data.figures.length > 0);
  for (const { change } of report.data.figures) assert.equal(change, { days_30: null, days_90: null, days_365: null });
  const empty = await wholeReport(getReport, { type: 'DUE_ITEMS', as_of: '0' });
  const { inputs, today, organization } = await wholeReport(getReport, { type: 'DUE_ITEMS', as_of: '1' });
  assert.equal([empty.position, empty.today, empty.inputs], ['0', today, inputs], 'on the day of the first event');
  assert.equal(empty.organization, organization);
  assert.is(empty.about.at(-1)!.label, 'Note');
});

test('a trend’s figures can be named by their labels, and come alone', async ({ getReport }) => {
  const whole = await wholeReport(getReport, { type: 'POSTURE' });
  const named = async (trend_figures: string) =>
    wholeReport(getReport, { type: 'POSTURE', only: 'TREND', trend_figures });
  const byName = await named('risks_without_score,vendors');
  assert.equal(byName.data.figures, []);
  assert.equal(
    byName.data.sections.map(({ name }) => name),
    ['trend'],
  );
  assert.equal(byName.inputs, { trend: 'MONTH', only: 'TREND', trend_figures: 'risks_without_score,vendors' });
  const labelOf = (name: string) => whole.data.figures.find((figure) => figure.name === name)!;
  const [unrated, vendors] = [labelOf('risks_without_score'), labelOf('vendors')];
  assert.match(unrated.label, ',', 'a label may contain a comma');
  for (const labels of [
    `${unrated.group}: ${unrated.label}, ${vendors.group}: ${vendors.label}`,
    ` ${unrated.group.toLowerCase()}: ${unrated.label.toUpperCase()},vendors `,
    'Risks_without_score, VENDORS',
  ])
    assert.is((await named(labels)).digest, byName.digest, labels);
  assert.is(digestOfAnswer(byName), byName.digest);
  for (const { name, group, label } of whole.data.figures)
    assert.equal((await named(`${group}: ${label}`)).inputs, (await named(name)).inputs, label);
});

test('a label of several figures is refused with their names', async ({ getReport }) => {
  const { data } = await wholeReport(getReport, { type: 'POSTURE' });
  const labels = data.figures.map(({ label }) => label);
  const label = labels.find((one, index) => labels.indexOf(one) !== index)!;
  const { error } = (await getReport({ type: 'POSTURE', only: 'TREND', trend_figures: label })) as {
    error: { message: string; allowed: string[] };
  };
  assert.match(error.message, 'Use a name instead');
  assert.equal(
    error.allowed,
    data.figures.filter((figure) => figure.label === label).map(({ name }) => name),
  );
});

test('the posture report has a trend only on request, of up to six of its figures', async ({ getReport }) => {
  const plain = await wholeReport(getReport, { type: 'POSTURE' });
  assert.equal([plain.data.sections, plain.inputs], [[], {}]);
  const trend = await wholeReport(getReport, { type: 'POSTURE', trend: 'MONTH' });
  const [today] = rowsOf(trend, 'trend');
  assert.equal(Object.keys(today!), [
    ...['day', 'risks_critical', 'measures_overdue', 'vendors_review_overdue', 'nonconformities_open'],
    // Coverage of no control is empty.
    'evidence_expired',
  ]);
  assert.is(digestOfAnswer(trend), trend.digest);
  const report = await wholeReport(getReport, { type: 'POSTURE', trend: 'MONTH', trend_figures: ' risks , vendors' });
  assert.equal(rowsOf(report, 'trend'), [{ day: report.today, risks: 0, vendors: 0 }]);
  for (const [input, field] of [
    [{ trend_figures: 'risks' }, 'trend'],
    [{ only: 'TREND', group_by: 'OWNER' }, 'only'],
    [{ trend: 'MONTH', owner_id: 'ME' }, 'trend'],
    [{ trend: 'MONTH', trend_figures: 'risk' }, 'trend_figures'],
    [{ trend: 'MONTH', trend_figures: 'risks,vendors,measures,controls,audits,evidence,frameworks' }, 'trend_figures'],
  ] as const) {
    assert.equal(
      refusalOf(await getReport({ type: 'POSTURE', ...input })),
      ['invalid_input', field],
      JSON.stringify(input),
    );
  }
  assert.equal(refusalOf(await getReport({ type: 'VENDORS', trend: 'MONTH' })), ['invalid_input', 'trend']);
});

test('a report refuses, by name, an input that its type does not accept', async ({ getReport }) => {
  assert.equal(refusalOf(await getReport({ type: 'POSTURE', until: daysAgo(0) })), ['invalid_input', 'until']);
  assert.equal(refusalOf(await getReport({ type: 'VENDORS', from: '1' })), ['invalid_input', 'from']);
  const unknownPack = { type: 'AUDIT_PACK', audit_id: derivedId('aud', '3a6a3f0e-5c52-4f0d-9a77-5d3f3c0b7b22') };
  assert.equal(refusalOf(await getReport({ ...unknownPack, owner_id: 'ME' })), ['invalid_input', 'owner_id']);
  assert.equal(refusalOf(await getReport({ type: 'POSTURE', kinds: ['MEASURE'] })), ['invalid_input', 'kinds']);
  assert.equal(refusalOf(await getReport({ type: 'POSTURE', group_by: 'SEVERITY' })), ['invalid_input', 'group_by']);
  assert.equal(refusalOf(await getReport({ type: 'VENDORS', group_by: 'OWNER' })), ['invalid_input', 'group_by']);
  assert.equal(refusalOf(await getReport({ type: 'CHANGES_BETWEEN' })), ['invalid_input', 'from']);
  assert.equal(refusalOf(await getReport({ type: 'CHANGES_BETWEEN', from: 'spring' })), ['invalid_input', 'from']);
  assert.equal(refusalOf(await getReport({ type: 'AUDIT_PACK' })), ['invalid_input', 'audit_id']);
  assert.equal(refusalOf(await getReport({ type: 'POSTURE', as_of: daysAgo(-1) })), ['invalid_input', 'as_of']);
  assert.equal(refusalOf(await getReport({ type: 'NOTHING' })), ['invalid_input', 'type']);
});

test('a VIEWER gets every report but the pack, at any moment', async ({ register }) => {
  const { organizationId: organization_id, call } = register;
  const getReport = (type: string, caller: Caller) => call('getReport', { organization_id, type, as_of: '2' }, caller);
  for (const type of REPORT_TYPES) {
    const { error } = (await getReport(type, callerAs('VIEWER'))) as { error?: { code: string } };
    assert.is(error?.code === 'forbidden', type === 'AUDIT_PACK', type);
  }
  assert.is(refusalOf(await getReport('AUDIT_PACK', callerAs('AUDITOR')))[1], 'audit_id');
});

test('owner_id narrows a report, as ME or as an id', async ({ register, getReport }) => {
  const { organizationId: organization_id, accountId } = register;
  await register.call('addRisk', { organization_id, name: 'Mine', owner_id: 'ME' });
  await register.call('addRisk', { organization_id, name: 'Nobody’s' });
  const ownReport = await wholeReport(getReport, { type: 'RISK_REGISTER', owner_id: 'ME' });
  assert.equal(
    rowsOf(ownReport, 'risks').map(({ name }) => name),
    ['Mine'],
  );
  assert.is(figuresOf(ownReport).risks, 1);
  assert.equal(ownReport.inputs, { owner_id: accountId });
  assert.is((await wholeReport(getReport, { type: 'RISK_REGISTER', owner_id: accountId })).digest, ownReport.digest);
});

test('owner_id must be or have been a member, and the report names that person', async ({ register, getReport }) => {
  const { organizationId: organization_id, accountId } = register;
  const ownReport = await wholeReport(getReport, { type: 'POSTURE', owner_id: 'ME' });
  assert.is(ownReport.title, 'Posture (records of one owner)');
  assert.equal(ownReport.about, [{ label: 'Owner', value: accountId }]);
  assert.equal(Object.keys(ownReport.people), [accountId]);
  const stranger = derivedId('acc', '3a6a3f0e-5c52-4f0d-9a77-5d3f3c0b7b22');
  const typo = { type: 'POSTURE', owner_id: stranger };
  assert.equal(refusalOf(await getReport(typo)), ['invalid_input', 'owner_id']);
  const command = (command: OrganizationCommand) =>
    executeOrganizationCommand(register.handler, organization_id, command);
  await command({ type: 'AddMember', account_id: stranger, role: 'EDITOR' });
  assert.is((await wholeReport(getReport, typo)).about[0]!.value, stranger);
  await command({ type: 'RemoveMember', account_id: stranger });
  assert.is((await wholeReport(getReport, typo)).about[0]!.value, stranger, 'a former member');
});

test('notes say what a section leaves out', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  await register.call('addRisk', { organization_id, name: 'Half rated', inherent_likelihood: 3 });
  await register.call('addRisk', { organization_id, name: 'Rated', inherent_likelihood: 3, inherent_impact: 4 });
  await register.call('addMeasure', { organization_id, name: 'Late', due_date: daysAgo(5) });
  await register.call('addMeasure', { organization_id, name: 'Today', due_date: daysAgo(0) });
  const noteOf = ({ data }: WholeReport) => String(data.sections[0]!.note);
  const risks = await wholeReport(getReport, { type: 'RISK_REGISTER' });
  assert.match(
    noteOf(risks),
    'by residual likelihood and impact; by the inherent ratings if a residual one is missing',
  );
  assert.equal([figuresOf(risks).risks_not_closed, figuresOf(risks).risks_without_score], [2, 1]);
  const dueBy = async (until: string) => {
    const report = await wholeReport(getReport, { type: 'DUE_ITEMS', until });
    const { due, overdue } = figuresOf(report);
    return [due, overdue, /Items due after that date are left out/.test(noteOf(report))];
  };
  assert.equal(await dueBy(daysAgo(0)), [2, 1, false]);
  assert.equal(await dueBy(daysAgo(1)), [1, 1, true]);
  assert.equal(await dueBy(daysAgo(-9)), [2, 1, false]);
});

test('due items can begin with a day, in all figures and groups', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  for (const days of [7, 3, 0]) {
    await register.call('addMeasure', {
      organization_id,
      name: `Due ${days}`,
      due_date: daysAgo(days),
      owner_id: 'ME',
    });
  }
  const from = daysAgo(4);
  const report = await wholeReport(getReport, { type: 'DUE_ITEMS', from, until: daysAgo(0) });
  assert.equal(
    rowsOf(report, 'due_items').map(({ name }) => name),
    ['Due 3', 'Due 0'],
  );
  const { due, overdue } = figuresOf(report);
  assert.equal([due, overdue], [2, 1]);
  assert.equal(report.inputs, { from, until: daysAgo(0) });
  assert.is(report.data.sections[0]!.note, `Items due from ${from} to ${daysAgo(0)} and not done yet.`);
  const grouped = await wholeReport(getReport, { type: 'DUE_ITEMS', from, group_by: 'OWNER' });
  const [counts] = rowsOf(grouped, 'by_owner');
  assert.equal([counts!.due, counts!.overdue], [2, 1]);
  assert.is(digestOfAnswer(report), report.digest);
  assert.equal(refusalOf(await getReport({ type: 'DUE_ITEMS', from: 'yesterday' })), ['invalid_input', 'from']);
});

test('a statement needs framework_id only if several frameworks are adopted', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const adopt = async (name: string) => {
    const controls = [{ section_title: '1', name: 'Only one' }];
    const { framework } = await register.call('addFramework', { organization_id, name, controls });
    return (framework as { id: string }).id;
  };
  const first = await adopt('House rules');
  const firstStatement = await wholeReport(getReport, { type: 'STATEMENT_OF_APPLICABILITY' });
  assert.equal(firstStatement.inputs, { framework_id: first });
  const second = await adopt('Yard rules');
  const { error } = await getReport({ type: 'STATEMENT_OF_APPLICABILITY' });
  assert.equal((error as { allowed: string[] }).allowed.toSorted(), [first, second].toSorted());
  const report = await wholeReport(getReport, { type: 'STATEMENT_OF_APPLICABILITY', framework_id: second });
  assert.is(rowsOf(report, 'framework')[0]!.name, 'Yard rules');
  const beforeAdoption = await getReport({
    type: 'STATEMENT_OF_APPLICABILITY',
    framework_id: second,
    as_of: firstStatement.position,
  });
  assert.equal(refusalOf(beforeAdoption), ['not_found', 'framework_id']);
});

test('the statement of an archived framework says so and keeps its controls', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const controls = ['1', '2', '3'].map((section_title) => ({ section_title, name: `Rule ${section_title}` }));
  const { framework } = await register.call('addFramework', { organization_id, name: 'House rules', controls });
  const framework_id = (framework as { id: string }).id;
  const adoptedControls = (await register.call('listControls', { organization_id })).controls as { id: string }[];
  const archive = (id: string) =>
    register.call('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'no longer ours' });
  await archive(adoptedControls[1]!.id);
  await register.call('updateControl', { id: adoptedControls[0]!.id, inclusion_justification: 'the law' });
  const input = { type: 'STATEMENT_OF_APPLICABILITY', framework_id };
  const before = await wholeReport(getReport, input);
  assert.is(figuresOf(before).controls_without_justification, 1);
  await archive(framework_id);
  const after = await wholeReport(getReport, input);
  assert.equal(figuresOf(after), figuresOf(before));
  assert.equal(rowsOf(after, 'controls'), rowsOf(before, 'controls'));
  const [row] = rowsOf(after, 'framework');
  assert.equal(after.about.at(-1), { label: 'Framework archived', value: row!.archived_at });
  assert.is(before.about.length, 1);
});

test('an audit pack shows the completion; completing the audit again gives another pack', async ({
  register,
  getReport,
}) => {
  const { organizationId: organization_id } = register;
  const controls = [{ section_title: '1', name: 'Only one' }];
  const { framework } = await register.call('addFramework', { organization_id, name: 'House rules', controls });
  const framework_id = (framework as { id: string }).id;
  const { audit } = await register.call('addAudit', {
    organization_id,
    framework_id,
    name: 'Spring',
    state: 'IN_PROGRESS',
  });
  const { id } = audit as { id: string };
  const pack = { type: 'AUDIT_PACK', audit_id: id };
  assert.equal(refusalOf(await getReport(pack)), ['invalid_input', 'audit_id']);
  const unfinished = (await getReport(pack)).error as { message: string; hint: string; allowed: string[] };
  assert.match(unfinished.message, `STATEMENT_OF_APPLICABILITY with framework_id ${framework_id}`);
  assert.equal([unfinished.allowed, unfinished.hint], [[], 'No audit has been completed yet.']);
  await register.call('updateAudit', { id, state: 'COMPLETED', reason: 'Found out' });
  const { audit: autumn } = await register.call('addAudit', { organization_id, framework_id, name: 'Autumn' });
  const next = await getReport({ type: 'AUDIT_PACK', audit_id: (autumn as { id: string }).id });
  const { allowed, hint } = next.error as { allowed: string[]; hint: string };
  assert.equal([allowed, hint], [[id], `Completed audits: Spring (${id}, completed ${daysAgo(0)}).`]);
  const unnamed = (await getReport({ type: 'AUDIT_PACK' })).error as {
    message: string;
    allowed: string[];
    hint: string;
  };
  assert.equal([unnamed.allowed, unnamed.hint], [allowed, hint]);
  assert.is(unnamed.message, 'audit_id is missing. Give the id of a completed audit.');
  const first = await wholeReport(getReport, pack);
  assert.is(first.pending_seal, true);
  await register.call('addNonconformity', { organization_id, description: 'Found later', audit_id: id });
  assert.is((await wholeReport(getReport, pack)).digest, first.digest);
  await register.call('updateAudit', { id, state: 'IN_PROGRESS', reason: 'a finding was missed' });
  assert.is((await wholeReport(getReport, pack)).digest, first.digest, 'reopened');
  const beforeCompletion = await getReport({ ...pack, as_of: String(Number(first.position) - 1) });
  assert.match((beforeCompletion.error as { message: string }).message, `after as_of, at position ${first.position}`);
  assert.is(first.title, 'Audit pack: Spring');
  await register.call('updateAudit', { id, state: 'COMPLETED', reason: 'Found out' });
  const second = await wholeReport(getReport, pack);
  assert.equal(
    rowsOf(second, 'findings').map(({ description }) => description),
    ['Found later'],
  );
  assert.is(
    (await wholeReport(getReport, { ...pack, as_of: first.position })).digest,
    first.digest,
    'the earlier pack',
  );
});

test.run();
