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
  /** Returns the descriptions in a list. Checks that COUNT agrees. */
  findNonconformities(filter?: object, extraInput?: object): Promise<unknown[]>;
}

const test = suite<Context>('nonconformities');

/** Due 20 days ago; raised 40 days ago, closed 10 and reopened 5 days ago. */
const FIRST_NONCONFORMITY = randomId('ncf');
const TREATED = { root_cause: 'Nobody was named', corrective_action: 'A monthly test' };
const CHECKED = { ...TREATED, effectiveness_check: 'Two tests seen' };

test.before.each(async (context) => {
  context.folder = temporaryFolder();
  const fields = { description: 'Old', due_date: daysAgo(20) };
  const change = (changes: object, reason?: string) => ({ type: 'UpdateNonconformity', changes, reason });
  await writePast(context.folder, [
    { days: 40, id: FIRST_NONCONFORMITY, command: { type: 'AddNonconformity', fields } },
    { days: 10, id: FIRST_NONCONFORMITY, command: change({ ...CHECKED, status: 'CLOSED' }) },
    { days: 5, id: FIRST_NONCONFORMITY, command: change({ status: 'OPEN' }, 'it came back') },
  ]);
  context.register = await startRegister(context.folder);
  const call = toolCallsOf(context.register);
  const findNonconformities: Context['findNonconformities'] = async (filter = {}, extraInput = {}) => {
    const rows = await call.list('listNonconformities', filter, extraInput);
    assert.is((await call.ok('listNonconformities', { filter, ...extraInput, view: 'COUNT' })).total, rows.length);
    return rows.map(({ description }) => description);
  };
  Object.assign(context, call, { findNonconformities });
});

test.after.each(async ({ register, folder }) => {
  await register.stop();
  rmSync(folder, { recursive: true });
});

/** Lists overdue records by the filter, and asserts that the field of each record agrees. */
async function listOverdue({ list, findNonconformities }: Context, extraInput: object = {}): Promise<unknown[]> {
  const yes = await findNonconformities({ overdue: true }, extraInput);
  const all = await list('listNonconformities', {}, { ...extraInput, view: 'FULL' });
  const overdueDescriptions = all
    .filter((nonconformity) => nonconformity.overdue)
    .map(({ description }) => description);
  assert.equal(
    [overdueDescriptions, (await findNonconformities({ overdue: false }, extraInput)).length],
    [yes, all.length - yes.length],
  );
  return yes;
}

test('a nonconformity is overdue after its due date until closed, now and as_of', async (context) => {
  const { add, ok, position } = context;
  for (const days of [39, 20, 10, 9, 6])
    assert.equal(await listOverdue(context, { as_of: daysAgo(days) }), [], `${days}`);
  for (const days of [19, 11, 5, 1])
    assert.equal(await listOverdue(context, { as_of: daysAgo(days) }), ['Old'], `${days}`);
  await add('Nonconformity', { description: 'Due today', due_date: daysAgo(0) });
  await add('Nonconformity', { description: 'Undated' });
  const due = { due_date: daysAgo(1) };
  await add('Nonconformity', { ...due, ...CHECKED, description: 'Closed', status: 'CLOSED' });
  const pastDue = { ...due, ...TREATED, description: 'To be verified', status: 'PENDING_VERIFICATION' };
  const { id } = await add('Nonconformity', pastDue);
  assert.equal(await listOverdue(context), ['Old', 'To be verified']);
  const moment = { as_of: await position() };
  await ok('updateNonconformity', { id, status: 'CLOSED', effectiveness_check: 'seen' });
  assert.equal(await listOverdue(context), ['Old']);
  assert.equal(await listOverdue(context, moment), ['Old', 'To be verified']);
});

test('a nonconformity goes from OPEN to CLOSED and back, with closed_at while closed', async (context) => {
  const { ok, refused, list, findNonconformities } = context;
  const closedAt = async (as_of: string) => {
    const [old] = await list('listNonconformities', {}, { as_of, view: 'FULL' });
    return [old!.status, old!.closed_at && String(old!.closed_at).slice(0, 10)];
  };
  assert.equal(await closedAt(daysAgo(11)), ['OPEN', null]);
  assert.equal(await closedAt(daysAgo(9)), ['CLOSED', daysAgo(10)]);
  assert.equal(await closedAt(daysAgo(5)), ['OPEN', null]);
  const { id } = (await ok('addNonconformity', { description: 'New' })).nonconformity as Answer;
  const update = (fields: object) => ok('updateNonconformity', { id, ...fields });
  const types: unknown[] = [];
  for (const fields of [
    { status: 'IN_PROGRESS' },
    { ...TREATED, status: 'PENDING_VERIFICATION' },
    { status: 'IN_PROGRESS', reason: 'not enough' },
    { effectiveness_check: 'seen', status: 'CLOSED' },
    { status: 'OPEN', reason: 'it came back' },
  ]) {
    types.push(...((await update(fields)).event_types as string[]));
  }
  assert.equal(types, [
    'NonconformityWorkStarted',
    ...['NonconformityDetailsChanged', 'NonconformitySubmittedForVerification'],
    'NonconformitySetBack',
    ...['NonconformityDetailsChanged', 'NonconformityClosed'],
    'NonconformityReopened',
  ]);
  const startTime = new Date().toISOString();
  const closed = (await update({ status: 'CLOSED' })).nonconformity as Answer;
  assert.ok(String(closed.closed_at) >= startTime);
  const clearingCheck = { id, effectiveness_check: null };
  assert.equal(await refused('updateNonconformity', clearingCheck), ['invalid_input', 'effectiveness_check']);
  assert.equal(await refused('updateNonconformity', { id, status: 'OPEN' }), ['invalid_input', 'reason']);
  const reopening = { id, status: 'IN_PROGRESS', reason: 'it came back' };
  assert.equal(await refused('updateNonconformity', reopening), ['invalid_transition', 'status']);
  assert.equal(await refused('updateNonconformity', { id, closed_at: daysAgo(1) }), ['invalid_input', 'closed_at']);
  const closing = { description: 'Bare', ...TREATED, status: 'CLOSED' };
  assert.equal(await refused('addNonconformity', closing), ['invalid_input', 'effectiveness_check']);
  assert.equal(await findNonconformities({ open: false }), ['New']);
});

test('listNonconformities filters by status, open, severity, audit and due date, now and as_of', async (context) => {
  const { add, ok, findNonconformities, position } = context;
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const framework_id = (await add('Framework', { name: 'House rules', controls })).id;
  const spring = await add('Audit', { framework_id, name: 'Spring' });
  const autumn = await add('Audit', { framework_id, name: 'Autumn' });
  const a = await add('Nonconformity', { description: 'A', severity: 'MAJOR', audit_id: spring.id });
  const b = { description: 'B', severity: 'MINOR', audit_id: autumn.id, due_date: daysAgo(-10), ...CHECKED };
  await add('Nonconformity', { ...b, status: 'CLOSED', reference_id: 'NC-7' });
  await add('Nonconformity', { description: 'C', status: 'IN_PROGRESS', due_date: daysAgo(-20), root_cause: 'Haste' });
  assert.equal(await findNonconformities({ status: ['IN_PROGRESS', 'CLOSED'] }), ['B', 'C']);
  assert.equal((await findNonconformities({ status: ['OPEN'] })).toSorted(), ['A', 'Old']);
  assert.equal((await findNonconformities({ open: true })).toSorted(), ['A', 'C', 'Old']);
  assert.equal(await findNonconformities({ open: false }), ['B']);
  assert.equal(await findNonconformities({ open: true, status: ['CLOSED'] }), []);
  assert.equal((await findNonconformities({ severity: ['MAJOR', 'MINOR'] })).toSorted(), ['A', 'B']);
  assert.equal(await findNonconformities({ audit_id: [spring.id] }), ['A']);
  assert.equal((await findNonconformities({ audit_id: [spring.id, autumn.id] })).toSorted(), ['A', 'B']);
  assert.equal(
    await findNonconformities({ due_before: daysAgo(-20) }),
    ['Old', 'B'],
    'before the day, and no undated ones',
  );
  assert.equal(await findNonconformities({ query: 'nc 7' }), ['B']);
  assert.equal(await findNonconformities({ query: 'haste' }), ['C']);
  assert.equal(await findNonconformities({ query: 'monthly' }), ['Old', 'B']);
  const moment = { as_of: await position() };
  await ok('updateNonconformity', { id: a.id, severity: null, audit_id: autumn.id, status: 'IN_PROGRESS' });
  assert.equal(
    [await findNonconformities({ audit_id: [spring.id] }), await findNonconformities({ severity: ['MAJOR'] })],
    [[], []],
  );
  const filters = { audit_id: [spring.id], severity: ['MAJOR'], status: ['OPEN'], open: true };
  assert.equal(await findNonconformities(filters, moment), ['A']);
});

test('a nonconformity can belong to an existing audit', async ({ add, ok, refused, findNonconformities, position }) => {
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const framework_id = (await add('Framework', { name: 'House rules', controls })).id;
  const audit = await add('Audit', { framework_id, name: 'Spring' });
  await add('Nonconformity', { description: 'Finding', audit_id: audit.id });
  const moment = { as_of: await position() };
  assert.equal(await findNonconformities({ linked_to: audit.id }), ['Finding']);
  const unknownAudit = { id: FIRST_NONCONFORMITY, audit_id: randomId('aud') };
  assert.equal(await refused('updateNonconformity', unknownAudit), ['not_found', 'audit_id']);
  const wrongPrefix = { description: 'X', audit_id: framework_id };
  assert.equal(await refused('addNonconformity', wrongPrefix), ['invalid_input', 'audit_id']);
  await ok('archiveRecords', { ids: [audit.id], action: 'ARCHIVE', reason: 'a mistake' });
  const archived = { description: 'X', audit_id: audit.id };
  assert.equal(await refused('addNonconformity', archived), ['invalid_transition', 'audit_id']);
  assert.equal(await findNonconformities({ audit_id: [audit.id] }), ['Finding'], 'the finding itself stays');
  assert.equal(
    [await findNonconformities({ linked_to: audit.id }), await findNonconformities({ linked_to: audit.id }, moment)],
    [[], ['Finding']],
  );
});

test('listNonconformities orders by due date and date_identified, undated ones last', async (context) => {
  const { add, findNonconformities, position } = context;
  await add('Nonconformity', { description: 'A', date_identified: daysAgo(3), due_date: daysAgo(-1) });
  await add('Nonconformity', { description: 'B', date_identified: daysAgo(5) });
  await add('Nonconformity', { description: 'C', date_identified: daysAgo(4), due_date: daysAgo(-2) });
  const moment = { as_of: await position() };
  for (const extraInput of [{}, moment]) {
    const ordered = async (field: string, direction?: string) =>
      (await findNonconformities({}, { order_by: { field, ...(direction ? { direction } : {}) }, ...extraInput })).join(
        ' ',
      );
    assert.is((await findNonconformities({}, extraInput)).join(' '), 'Old A C B');
    assert.is(await ordered('due_date', 'DESC'), 'C A Old B');
    assert.is(await ordered('date_identified'), 'B C A Old');
    assert.is(await ordered('date_identified', 'DESC'), 'A C B Old');
    assert.is(await ordered('created_at'), 'Old A B C');
    assert.is(await ordered('updated_at', 'DESC'), 'C B A Old');
  }
});

test('missing finds nonconformities without cause, owner or links', async (context) => {
  const { add, ok, list, findNonconformities, position } = context;
  const { id } = await add('Nonconformity', { description: 'New' });
  const missingFacts = async (extraInput: object = {}) => {
    const facts = ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'];
    const missing = await Promise.all(
      facts.map((fact) => findNonconformities({ ids: [id], missing: [fact] }, extraInput)),
    );
    return facts.filter((_, index) => missing[index]!.length > 0);
  };
  assert.equal(await findNonconformities({ missing: ['ROOT_CAUSE'] }), ['New']);
  const moment = { as_of: await position() };
  const all = await missingFacts();
  assert.is(all.length, 6);
  await add('Framework', { name: 'House rules', controls: [{ section_title: 'A.1', name: 'Rules' }] });
  const [control] = await list('listControls');
  const linkableIds = [
    (await add('Measure', { name: 'Test' })).id,
    (await add('Risk', { name: 'Loss' })).id,
    control!.id,
  ];
  await ok('linkRecords', { links: linkableIds.map((to_id) => ({ from_id: id, to_id })) });
  assert.equal(await missingFacts(), ['OWNER', 'EVIDENCE', 'ROOT_CAUSE']);
  await add('Evidence', { name: 'Log', text: 'No test.', record_ids: [id] });
  await ok('updateNonconformity', { id, owner_id: 'ME', root_cause: 'Haste' });
  assert.equal(await missingFacts(), []);
  assert.equal(await findNonconformities({ linked_to: linkableIds[0] }), ['New']);
  await ok('updateNonconformity', { id, root_cause: null });
  assert.equal([await missingFacts(), await missingFacts(moment)], [['ROOT_CAUSE'], all]);
});

test('a nonconformity has a summary, and a name from its number and the start of its text', async (context) => {
  const { ok, add, list, refused } = context;
  const description = 'Restores are not tested. '.repeat(10).trim();
  const { id } = await add('Nonconformity', { reference_id: 'NC-1', description, severity: 'MAJOR' });
  const [brief] = await list('listNonconformities', { ids: [id] });
  const cut = `${description.slice(0, 160)}…`;
  const fields = { id, reference_id: 'NC-1', severity: 'MAJOR', description: cut, status: 'OPEN', overdue: false };
  assert.equal(brief, fields);
  const { changes } = await ok<{ changes: Answer[] }>('listChanges', { filter: { record_id: [id] } });
  const name = `${`NC-1: ${description}`.slice(0, 80)}…`;
  assert.equal(changes[0]!.record, { id, type: 'NONCONFORMITY', name });
  assert.equal(changes[0]!.event_type, 'NonconformityRaised');
  const similarAdd = await ok('addNonconformity', { reference_id: 'nc-1', description: 'Another' });
  assert.equal(similarAdd.similar, [{ id, name }], 'similar by the number alone');
  assert.not('similar' in (await ok('addNonconformity', { description: 'Another' })));
  for (const description of ['', null]) {
    assert.equal(await refused('updateNonconformity', { id, description }), ['invalid_input', 'description']);
    assert.equal(await refused('addNonconformity', { description }), ['invalid_input', 'description']);
  }
});

test.run();
