import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { type ToolCalls, toolCallsOf } from '../../support/mcp/tool-calls.ts';
import { daysAgo, writePast } from '../../support/past.ts';
import { type Answer, startRegister, type TestRegister, temporaryFolder } from '../../support/register.ts';

interface Context extends ToolCalls {
  folder: string;
  register: TestRegister;
  /** Returns the requirements in a list. Checks that COUNT agrees. */
  findObligations(filter?: object, extraInput?: object): Promise<unknown[]>;
}

const test = suite<Context>('obligations');

/** Due 20 days ago; added 40 days ago, assessed as met 30 and as not met 10 days ago. */
const FIRST_OBLIGATION = randomId('obl');

test.before.each(async (context) => {
  context.folder = temporaryFolder();
  const fields = { requirement: 'Old', due_date: daysAgo(20) };
  const assess = (status: string) => ({ type: 'UpdateObligation', changes: { status } });
  await writePast(context.folder, [
    { days: 40, id: FIRST_OBLIGATION, command: { type: 'AddObligation', fields } },
    { days: 30, id: FIRST_OBLIGATION, command: assess('COMPLIANT') },
    { days: 10, id: FIRST_OBLIGATION, command: assess('NON_COMPLIANT') },
  ]);
  context.register = await startRegister(context.folder);
  const call = toolCallsOf(context.register);
  const findObligations: Context['findObligations'] = async (filter = {}, extraInput = {}) => {
    const rows = await call.list('listObligations', filter, { ...extraInput, view: 'FULL' });
    assert.is((await call.ok('listObligations', { filter, ...extraInput, view: 'COUNT' })).total, rows.length);
    return rows.map(({ requirement }) => requirement);
  };
  Object.assign(context, call, { findObligations });
});

test.after.each(async ({ register, folder }) => {
  await register.stop();
  rmSync(folder, { recursive: true });
});

/** Lists overdue records by the filter, and asserts that the field of each record agrees. */
async function listOverdue({ list, findObligations }: Context, extraInput: object = {}): Promise<unknown[]> {
  const yes = await findObligations({ overdue: true }, extraInput);
  const all = await list('listObligations', {}, { ...extraInput, view: 'FULL' });
  const overdueRequirements = all.filter((obligation) => obligation.overdue).map(({ requirement }) => requirement);
  assert.equal(
    [overdueRequirements, (await findObligations({ overdue: false }, extraInput)).length],
    [yes, all.length - yes.length],
  );
  return yes;
}

test('an obligation is overdue after its due date unless COMPLIANT, now and as_of', async (context) => {
  const { add, ok, list, position } = context;
  for (const days of [39, 31, 29, 20, 19, 11]) assert.equal(await listOverdue(context, { as_of: daysAgo(days) }), []);
  for (const days of [10, 9, 1]) assert.equal(await listOverdue(context, { as_of: daysAgo(days) }), ['Old'], `${days}`);
  const [moment] = await list('listObligations', {}, { as_of: daysAgo(29), view: 'FULL' });
  assert.equal([moment!.status, moment!.last_review_date], ['COMPLIANT', daysAgo(30)]);
  const due = { due_date: daysAgo(1), status: 'COMPLIANT' };
  await add('Obligation', { requirement: 'Due today', due_date: daysAgo(0) });
  await add('Obligation', { requirement: 'Undated' });
  await add('Obligation', { ...due, requirement: 'Met' });
  await add('Obligation', { ...due, requirement: 'Met a year before', last_review_date: daysAgo(367) });
  const stale = await add('Obligation', { ...due, requirement: 'Too long ago', last_review_date: daysAgo(368) });
  await add('Obligation', { ...due, requirement: 'In part', status: 'PARTIALLY_COMPLIANT' });
  assert.equal((await listOverdue(context)).toSorted(), ['In part', 'Old', 'Too long ago']);
  const before = { as_of: await position() };
  const answer = await ok('updateObligation', { id: stale.id, status: 'COMPLIANT' });
  assert.equal(answer.event_types, ['ObligationAssessed'], 'assessed again with the same status');
  assert.equal((answer.obligation as Answer).last_review_date, daysAgo(0));
  assert.equal((await listOverdue(context)).toSorted(), ['In part', 'Old']);
  assert.equal((await listOverdue(context, before)).toSorted(), ['In part', 'Old', 'Too long ago']);
  await ok('updateObligation', { id: stale.id, last_review_date: null });
  assert.equal((await listOverdue(context)).toSorted(), ['In part', 'Old', 'Too long ago'], 'never reviewed');
  await ok('updateObligation', { id: stale.id, due_date: null });
  assert.equal((await listOverdue(context)).toSorted(), ['In part', 'Old']);
});

test('listObligations filters by status, area, source, regulator and due date, now and as_of', async (context) => {
  const { add, ok, findObligations, position } = context;
  const tax = { area: 'Tax', source: 'Tax Code', regulator: 'Revenue' };
  await add('Obligation', { requirement: 'A', ...tax, due_date: daysAgo(-10), status: 'COMPLIANT' });
  const b = await add('Obligation', { requirement: 'B', area: 'Données', source: 'GDPR', due_date: daysAgo(-20) });
  await add('Obligation', { requirement: 'C', area: 'donnees', regulator: 'CNIL', status: 'NON_COMPLIANT' });
  assert.equal(await findObligations({ status: ['NOT_ASSESSED'] }), ['B']);
  assert.equal(await findObligations({ status: ['COMPLIANT', 'NON_COMPLIANT'] }), ['Old', 'A', 'C']);
  assert.equal(await findObligations({ area: ['DONNÉES'] }), ['B', 'C']);
  assert.equal(await findObligations({ area: ['donnees', 'tax'], regulator: ['revenue', 'cnil'] }), ['A', 'C']);
  assert.equal(await findObligations({ source: ['gdpr', 'tax code'] }), ['A', 'B']);
  assert.equal(
    await findObligations({ due_before: daysAgo(-20) }),
    ['Old', 'A'],
    'before the day, and no undated ones',
  );
  assert.equal(await findObligations({ due_after: daysAgo(20) }), ['A', 'B'], 'after the day, and no undated ones');
  assert.equal(await findObligations({ due_after: daysAgo(0), due_before: daysAgo(-15) }), ['A']);
  assert.equal(await findObligations({ query: 'donn' }), ['B', 'C']);
  assert.equal(await findObligations({ query: 'gdpr b' }), ['B']);
  const moment = { as_of: await position() };
  await ok('updateObligation', { id: b.id, status: 'PARTIALLY_COMPLIANT', area: null, source: '', due_date: null });
  assert.equal(await findObligations({ status: ['NOT_ASSESSED'] }), []);
  assert.equal(await findObligations({ area: ['donnees'] }), ['C']);
  assert.equal(await findObligations({ status: ['NOT_ASSESSED'], source: ['GDPR'], due_after: daysAgo(0) }, moment), [
    'B',
  ]);
});

test('listObligations orders by due date and by area, empty ones last', async ({ add, findObligations, position }) => {
  await add('Obligation', { requirement: 'A', area: 'Travail', due_date: daysAgo(-1) });
  await add('Obligation', { requirement: 'B', area: 'énergie' });
  await add('Obligation', { requirement: 'C', area: 'Finance', due_date: daysAgo(-2) });
  const moment = { as_of: await position() };
  for (const extraInput of [{}, moment]) {
    const ordered = async (field: string, direction?: string) =>
      (await findObligations({}, { order_by: { field, ...(direction ? { direction } : {}) }, ...extraInput })).join(
        ' ',
      );
    assert.equal((await findObligations({}, extraInput)).join(' '), 'Old A C B');
    assert.is(await ordered('due_date', 'DESC'), 'C A Old B');
    assert.is(await ordered('area'), 'B C A Old');
    assert.is(await ordered('area', 'DESC'), 'A C B Old');
    assert.is(await ordered('created_at'), 'Old A B C');
    assert.is(await ordered('updated_at', 'DESC'), 'C B A Old');
  }
});

test('missing finds obligations without owner, links or evidence', async (context) => {
  const { add, ok, list, findObligations, position } = context;
  const missingFacts = async (extraInput: object = {}) => {
    const facts = ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE'];
    const missing = await Promise.all(facts.map((fact) => findObligations({ missing: [fact] }, extraInput)));
    return facts.filter((_, index) => missing[index]!.length > 0);
  };
  const moment = { as_of: await position() };
  const all = await missingFacts();
  assert.is(all.length, 5);
  const measure = await add('Measure', { name: 'Rehearsal' });
  const risk = await add('Risk', { name: 'Fine' });
  await add('Framework', { name: 'House rules', controls: [{ section_title: 'A.1', name: 'Law' }] });
  const [control] = await list('listControls');
  const links = [measure.id, risk.id, control!.id].map((to_id) => ({ from_id: FIRST_OBLIGATION, to_id }));
  await ok('linkRecords', { links });
  assert.equal(await missingFacts(), ['OWNER', 'EVIDENCE']);
  await add('Evidence', { name: 'Letter', text: 'All is well.', record_ids: [FIRST_OBLIGATION] });
  await ok('updateObligation', { id: FIRST_OBLIGATION, owner_id: 'ME' });
  assert.equal(await missingFacts(), []);
  assert.equal(await findObligations({ linked_to: risk.id }), ['Old']);
  await ok('archiveRecords', { ids: [risk.id], action: 'ARCHIVE', reason: 'gone' });
  assert.equal([await missingFacts(), await missingFacts(moment)], [['RISKS'], all]);
});

test('an obligation’s summary has the start of its text', async ({ ok, add, list }) => {
  const requirement = `${'x'.repeat(159)}😀 and\nso on`;
  const { id } = await add('Obligation', { requirement, area: 'Tax', owner_id: 'ME' });
  const [brief] = await list('listObligations', { ids: [id] });
  const { owner, ...fields } = brief!;
  assert.type(owner, 'string');
  const cut = `${'x'.repeat(159)}…`;
  assert.equal(fields, { id, requirement: cut, area: 'Tax', status: 'NOT_ASSESSED', overdue: false });
  const short = await add('Obligation', { requirement: 'y'.repeat(160) });
  const [summary] = await list('listObligations', { ids: [short.id] });
  assert.is(summary!.requirement, 'y'.repeat(160));
  const { records } = await ok<{ records: Answer[] }>('getRecords', { ids: [id] });
  assert.is(records[0]!.requirement, requirement);
  const longObligation = await add('Obligation', { requirement: `Pay\nthe  tax ${'z'.repeat(100)}` });
  const { changes } = await ok<{ changes: Answer[] }>('listChanges', { filter: { record_id: [longObligation.id] } });
  const name = `Pay the tax ${'z'.repeat(68)}…`;
  assert.equal(changes[0]!.record, { id: longObligation.id, type: 'OBLIGATION', name });
  await ok('linkRecords', { links: [{ from_id: longObligation.id, to_id: (await add('Risk', { name: 'Fine' })).id }] });
  const [risk] = await list('listRisks');
  const linked = await ok<{ records: Answer[] }>('getRecords', { ids: [risk!.id], include: ['LINKS'] });
  assert.equal((linked.records[0]!.links as Answer).records, [{ id: longObligation.id, type: 'OBLIGATION', name }]);
});

test('writes on obligations answer event types, and an add needs a requirement', async ({ ok, refused }) => {
  const answer = await ok('updateObligation', {
    id: FIRST_OBLIGATION,
    status: 'COMPLIANT',
    last_review_date: daysAgo(3),
    area: 'Tax',
  });
  assert.equal(answer.event_types, ['ObligationDetailsChanged', 'ObligationAssessed']);
  const filter = { record_id: [FIRST_OBLIGATION], event_types: ['ObligationAssessed'] };
  const { changes } = await ok<{ changes: Answer[] }>('listChanges', { filter, size: 1 });
  assert.equal(changes[0]!.changes, [
    { field: 'status', from: 'NON_COMPLIANT', to: 'COMPLIANT' },
    { field: 'last_review_date', from: daysAgo(10), to: daysAgo(3) },
  ]);
  const updateAnswer = await ok('updateObligation', { id: FIRST_OBLIGATION, last_review_date: daysAgo(4) });
  assert.equal(updateAnswer.event_types, ['ObligationReviewDateCorrected']);
  const unchanged = await ok('updateObligation', { id: FIRST_OBLIGATION, last_review_date: daysAgo(4), area: 'Tax' });
  assert.equal([unchanged.event_types, unchanged.revision], [[], updateAnswer.revision]);
  for (const requirement of ['', ' ', null]) {
    assert.equal(await refused('updateObligation', { id: FIRST_OBLIGATION, requirement }), [
      'invalid_input',
      'requirement',
    ]);
    assert.equal(await refused('addObligation', { requirement }), ['invalid_input', 'requirement']);
  }
  const long = 'x'.repeat(10_001);
  assert.equal(await refused('addObligation', { requirement: long }), ['invalid_input', 'requirement']);
  assert.equal(await refused('updateObligation', { id: FIRST_OBLIGATION, status: null }), ['invalid_input', 'status']);
});

test.run();
