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
}

const test = suite<Context>('measures');

/** Due 20 days ago, added 40 days ago. */
const FIRST_MEASURE = randomId('msr');

test.before.each(async (context) => {
  context.folder = temporaryFolder();
  const fields = { name: 'Old', due_date: daysAgo(20) };
  await writePast(context.folder, [{ days: 40, id: FIRST_MEASURE, command: { type: 'AddMeasure', fields } }]);
  context.register = await startRegister(context.folder);
  Object.assign(context, toolCallsOf(context.register));
});

test.after.each(async ({ register, folder }) => {
  await register.stop();
  rmSync(folder, { recursive: true });
});

test('a measure is overdue after its due date until it is done', async ({ ok, add, list, names, position }) => {
  const listOverdue = async (as_of: object) => {
    const [overdueNames, otherNames] = [
      await names('listMeasures', { overdue: true }, as_of),
      await names('listMeasures', { overdue: false }, as_of),
    ];
    const overdueMeasures = (await list('listMeasures', {}, { ...as_of, view: 'FULL' })).filter(
      (measure) => measure.overdue,
    );
    assert.equal(
      [overdueMeasures.map(({ name }) => name), overdueNames.length + otherNames.length],
      [overdueNames, (await list('listMeasures', {}, as_of)).length],
    );
    return overdueNames;
  };
  assert.equal(await list('listMeasures', {}, { as_of: daysAgo(41) }), [], 'does not exist yet');
  for (const days of [39, 21, 20]) assert.equal(await listOverdue({ as_of: daysAgo(days) }), [], `${days} days ago`);
  for (const days of [19, 1]) assert.equal(await listOverdue({ as_of: daysAgo(days) }), ['Old'], `${days} days ago`);
  await add('Measure', { name: 'Due today', due_date: daysAgo(0) });
  await add('Measure', { name: 'Undated' });
  await add('Measure', { name: 'Done', due_date: daysAgo(1), state: 'IMPLEMENTED' });
  await add('Measure', { name: 'Out', due_date: daysAgo(1), state: 'NOT_APPLICABLE', justification: 'none' });
  await add('Measure', { name: 'Going on', due_date: daysAgo(1), state: 'IN_PROGRESS' });
  assert.equal(await listOverdue({}), ['Going on', 'Old']);
  const before = await position();
  await ok('updateMeasure', { id: FIRST_MEASURE, state: 'IMPLEMENTED' });
  assert.equal(await listOverdue({}), ['Going on']);
  assert.equal(await listOverdue({ as_of: before }), ['Going on', 'Old']);
  await ok('updateMeasure', { id: FIRST_MEASURE, state: 'IN_PROGRESS', reason: 'it broke' });
  assert.equal(await listOverdue({}), ['Going on', 'Old']);
});

test('a measure counts its risks and evidence that are not archived, now and as_of', async ({
  ok,
  add,
  list,
  position,
}) => {
  const risk = String((await add('Risk', { name: 'Flood' })).id);
  const otherRisk = String((await add('Risk', { name: 'Fire' })).id);
  const vendor = String((await add('Vendor', { name: 'Unicloud' })).id);
  const links = [risk, otherRisk, vendor].map((to_id) => ({ from_id: FIRST_MEASURE, to_id }));
  const readCounts = async (extraInput: object = {}) => {
    const [old] = await list('listMeasures', { ids: [FIRST_MEASURE] }, { view: 'FULL', ...extraInput });
    return [old?.risk_count, old?.control_count, old?.evidence_count, old?.valid_evidence_count];
  };
  const missingFacts = async (extraInput: object = {}) => {
    const facts = ['RISKS', 'CONTROLS', 'EVIDENCE', 'OWNER'];
    const lists = await Promise.all(facts.map((fact) => list('listMeasures', { missing: [fact] }, extraInput)));
    return facts.filter((_, index) => lists[index]!.length > 0);
  };
  assert.equal(await readCounts(), [0, 0, 0, 0]);
  assert.equal(await missingFacts(), ['RISKS', 'CONTROLS', 'EVIDENCE', 'OWNER']);
  await ok('linkRecords', { links });
  await add('Evidence', { name: 'Expired', text: 'It worked.', valid_until: daysAgo(1), record_ids: [FIRST_MEASURE] });
  await ok('updateMeasure', { id: FIRST_MEASURE, owner_id: 'ME' });
  assert.equal(await readCounts(), [2, 0, 1, 0], 'also evidence that has expired');
  assert.equal(await missingFacts(), ['CONTROLS', 'EVIDENCE'], 'missing ignores expired evidence');
  const linkedPosition = await position();
  const freshEvidence = await add('Evidence', { name: 'Fresh', text: 'It works.', record_ids: [FIRST_MEASURE] });
  assert.equal([await readCounts(), await missingFacts()], [[2, 0, 2, 1], ['CONTROLS']]);
  await ok('archiveRecords', { ids: [risk, freshEvidence.id], action: 'ARCHIVE', reason: 'done' });
  await ok('linkRecords', { links: [{ from_id: otherRisk, to_id: FIRST_MEASURE }], action: 'UNLINK' });
  assert.equal(
    [await readCounts(), await missingFacts()],
    [
      [0, 0, 1, 0],
      ['RISKS', 'CONTROLS', 'EVIDENCE'],
    ],
  );
  await ok('archiveRecords', { ids: [risk], action: 'RESTORE', reason: 'not done' });
  assert.equal(await readCounts(), [1, 0, 1, 0]);
  assert.equal(
    [await readCounts({ as_of: linkedPosition }), await missingFacts({ as_of: linkedPosition })],
    [
      [2, 0, 1, 0],
      ['CONTROLS', 'EVIDENCE'],
    ],
  );
  assert.equal(await readCounts({ as_of: daysAgo(1) }), [0, 0, 0, 0]);
  assert.equal((await list('listMeasures', { linked_to: risk })).length, 1);
});

test('the number of valid evidence changes with the day, without an event', async () => {
  const folder = temporaryFolder();
  const evidence = { type: 'AddEvidence', fields: { name: 'Short', text: 'Restored.', record_ids: [FIRST_MEASURE] } };
  const expiring = { ...evidence, fields: { ...evidence.fields, valid_until: daysAgo(20) } };
  await writePast(folder, [
    { days: 40, id: FIRST_MEASURE, command: { type: 'AddMeasure', fields: { name: 'Backups' } } },
    { days: 40, id: randomId('evd'), command: evidence },
    { days: 40, id: randomId('evd'), command: expiring },
  ]);
  const register = await startRegister(folder);
  const { list } = toolCallsOf(register);
  const countsOf = async (moment: object) => {
    const [measure] = await list('listMeasures', {}, { view: 'FULL', ...moment });
    return [measure!.evidence_count, measure!.valid_evidence_count];
  };
  for (const days of [40, 21, 20]) assert.equal(await countsOf({ as_of: daysAgo(days) }), [2, 2], `${days} days ago`);
  for (const days of [19, 1]) assert.equal(await countsOf({ as_of: daysAgo(days) }), [2, 1], `${days} days ago`);
  assert.equal(await countsOf({}), [2, 1]);
  await register.stop();
  rmSync(folder, { recursive: true });
});

test('a measure counts its controls, whose implementation follows its state', async ({ ok, add, list, names }) => {
  const controls = [{ section_title: 'A.1', name: 'Backups' }];
  const framework = await add('Framework', { name: 'House rules', controls });
  const control = String((await list('listControls'))[0]!.id);
  await ok('linkRecords', { links: [{ from_id: FIRST_MEASURE, to_id: control }] });
  const controlFacts = async () => {
    const [measure] = await list('listMeasures', { ids: [FIRST_MEASURE] }, { view: 'FULL' });
    const withoutControls = await names('listMeasures', { missing: ['CONTROLS'] });
    return [measure!.control_count, withoutControls.length, (await list('listControls'))[0]?.implementation];
  };
  assert.equal(await controlFacts(), [1, 0, 'NONE']);
  await ok('updateMeasure', { id: FIRST_MEASURE, state: 'IN_PROGRESS' });
  assert.equal(await controlFacts(), [1, 0, 'STARTED']);
  await ok('updateMeasure', { id: FIRST_MEASURE, state: 'IMPLEMENTED' });
  assert.equal(await controlFacts(), [1, 0, 'FULL']);
  await ok('updateMeasure', { id: FIRST_MEASURE, state: 'NOT_APPLICABLE', justification: 'none' });
  assert.equal(await controlFacts(), [1, 0, 'NONE']);
  await ok('archiveRecords', { ids: [framework.id], action: 'ARCHIVE', reason: 'gone' });
  assert.equal(await controlFacts(), [0, 1, undefined], 'controls of an archived framework count for nothing');
});

test('listMeasures filters by state, category and due date, now and as_of', async ({ ok, add, names, position }) => {
  await add('Measure', { name: 'A', category: 'Éncryption', state: 'IN_PROGRESS', due_date: daysAgo(-10) });
  const b = await add('Measure', { name: 'B', category: 'People', state: 'IMPLEMENTED', reference_id: 'M-2' });
  await add('Measure', { name: 'C', category: 'encryption', state: 'NOT_APPLICABLE', justification: 'none' });
  assert.equal(await names('listMeasures', { state: ['NOT_STARTED'] }), ['Old']);
  assert.equal(await names('listMeasures', { state: ['IN_PROGRESS', 'NOT_APPLICABLE'] }), ['A', 'C']);
  assert.equal(await names('listMeasures', { category: ['ENCRYPTION'] }), ['A', 'C']);
  assert.equal(await names('listMeasures', { category: ['encryption', 'people'], state: ['IMPLEMENTED'] }), ['B']);
  assert.equal(
    await names('listMeasures', { due_before: daysAgo(-10) }),
    ['Old'],
    'before the day, and no undated ones',
  );
  assert.equal(await names('listMeasures', { due_before: daysAgo(-11) }), ['A', 'Old']);
  assert.equal(await names('listMeasures', { query: 'm-2' }), ['B']);
  const moment = { as_of: await position() };
  await ok('updateMeasure', { id: b.id, state: 'IN_PROGRESS', category: null, reason: 'it broke' });
  assert.equal(await names('listMeasures', { state: ['IMPLEMENTED'] }), []);
  assert.equal(await names('listMeasures', { state: ['IMPLEMENTED'], category: ['People'] }, moment), ['B']);
  assert.equal(await names('listMeasures', { category: ['People'] }), []);
});

test('listMeasures orders by name, state and due date, undated measures last', async ({ add, names, position }) => {
  await add('Measure', { name: 'ábc', state: 'NOT_APPLICABLE', justification: 'none', due_date: daysAgo(-1) });
  await add('Measure', { name: 'B', state: 'IMPLEMENTED' });
  await add('Measure', { name: 'c', state: 'IN_PROGRESS', due_date: daysAgo(-2) });
  const moment = { as_of: await position() };
  const ordered = async (field: string, direction: string, extraInput: object = {}) =>
    (await names('listMeasures', {}, { order_by: { field, direction }, ...extraInput })).join(' ');
  for (const extraInput of [{}, moment]) {
    assert.equal(await names('listMeasures', {}, extraInput), ['ábc', 'B', 'c', 'Old']);
    assert.is(await ordered('name', 'DESC', extraInput), 'Old c B ábc');
    assert.is(await ordered('state', 'ASC', extraInput), 'Old c B ábc');
    assert.is(await ordered('state', 'DESC', extraInput), 'ábc B c Old');
    assert.is(await ordered('due_date', 'ASC', extraInput), 'Old ábc c B');
    assert.is(await ordered('due_date', 'DESC', extraInput), 'c ábc Old B');
    assert.is(await ordered('created_at', 'ASC', extraInput), 'Old ábc B c');
  }
});

test('a measure has implemented_at while IMPLEMENTED', async ({ ok, refused, add }) => {
  const measure = await add('Measure', { name: 'B', state: 'IMPLEMENTED', implemented_at: '2024-05-01' });
  assert.is(measure.implemented_at, '2024-05-01');
  assert.is(
    (await add('Measure', { name: 'C', state: 'IMPLEMENTED' })).implemented_at,
    null,
    'the caller gave no time',
  );
  const { id } = measure;
  const implementedAt = async (fields: object) => (await ok('updateMeasure', { id, ...fields })).measure as Answer;
  assert.is((await implementedAt({ state: 'IN_PROGRESS', reason: 'it broke' })).implemented_at, null);
  const startTime = new Date().toISOString();
  const secondTime = String((await implementedAt({ state: 'IMPLEMENTED' })).implemented_at);
  assert.ok(secondTime >= startTime && secondTime <= new Date().toISOString(), secondTime);
  assert.is((await implementedAt({ state: 'NOT_APPLICABLE', justification: 'none' })).implemented_at, null);
  const answer = await ok('updateMeasure', { id, state: 'IMPLEMENTED', reason: 'we need it', expected_revision: 4 });
  assert.equal(answer.event_types, ['MeasureReinstated']);
  assert.ok(String((answer.measure as Answer).implemented_at) >= secondTime);
  const unchanged = await ok('updateMeasure', { id, state: 'IMPLEMENTED' });
  assert.equal([unchanged.event_types, unchanged.revision], [[], answer.revision]);
  const set = await refused('updateMeasure', { id, implemented_at: '2024-05-01' });
  assert.equal(set, ['invalid_input', 'implemented_at']);
});

test('writes on measures answer event types and similar names', async ({ ok, list }) => {
  const addAnswer = await ok('addMeasure', { name: 'OLD', reference_id: 'M-1' });
  assert.equal(addAnswer.similar, [{ id: FIRST_MEASURE, name: 'Old' }]);
  const { id } = addAnswer.measure as Answer;
  await ok('updateMeasure', { id, state: 'NOT_APPLICABLE', justification: 'no servers', reason: 'cloud' });
  const filter = { record_id: [id], event_types: ['MeasureRuledOut'] };
  const { changes } = await ok<{ changes: Answer[] }>('listChanges', { filter });
  assert.is(changes[0]!.reason, 'cloud');
  assert.equal(changes[0]!.changes, [
    { field: 'state', from: 'NOT_STARTED', to: 'NOT_APPLICABLE' },
    { field: 'justification', from: null, to: 'no servers' },
  ]);
  const fields = { id, reference_id: 'M-1', name: 'OLD', state: 'NOT_APPLICABLE', evidence_count: 0 };
  assert.equal((await list('listMeasures', { ids: [id] }))[0], fields);
});

test.run();
