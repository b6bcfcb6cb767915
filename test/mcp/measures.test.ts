import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/ids.ts';
import { daysAgo, layPast } from '../support/past.ts';
import { type Answer, ORGANIZATION, startRegister, type TestRegister, temporaryFolder } from '../support/register.ts';

interface Context {
  folder: string;
  register: TestRegister;
}

const test = suite<Context>('measures');

/** Due 20 days ago, and there for 40. */
const OLD = randomId('msr');

test.before.each(async (context) => {
  context.folder = temporaryFolder();
  const fields = { name: 'Old', due_date: daysAgo(20) };
  await layPast(context.folder, [{ days: 40, id: OLD, command: { type: 'AddMeasure', fields } }]);
  context.register = await startRegister(context.folder);
});

test.after.each(async ({ register, folder }) => {
  await register.stop();
  rmSync(folder, { recursive: true });
});

async function ok<T = Answer>({ call }: TestRegister, tool: string, input: object): Promise<T> {
  const answer = await call(tool, input);
  assert.not('error' in answer, JSON.stringify(answer));
  return answer as T;
}

async function add(register: TestRegister, fields: object, title = 'Measure'): Promise<Answer> {
  const answer = await ok(register, `add${title}`, { organization_id: ORGANIZATION, ...fields });
  return answer[title.toLowerCase()] as Answer;
}

async function update(register: TestRegister, fields: object): Promise<Answer> {
  return ok(register, 'updateMeasure', fields);
}

async function list(register: TestRegister, filter: object = {}, more: object = {}): Promise<Answer[]> {
  const input = { organization_id: ORGANIZATION, filter, ...more };
  return (await ok<{ measures: Answer[] }>(register, 'listMeasures', input)).measures;
}

async function names(register: TestRegister, filter: object = {}, more: object = {}): Promise<unknown[]> {
  const found = (await list(register, filter, more)).map(({ name }) => name);
  const input = { organization_id: ORGANIZATION, filter, ...more, view: 'COUNT' };
  assert.is((await ok(register, 'listMeasures', input)).total, found.length, 'COUNT counts what is listed');
  return found;
}

async function position(register: TestRegister): Promise<string> {
  const answer = await ok(register, 'listMeasures', { organization_id: ORGANIZATION, as_of: daysAgo(0) });
  return (answer.as_of as { position: string }).position;
}

test('are overdue after their day, and only while something is left to do', async ({ register }) => {
  const overdue = async (as_of: object) => {
    const [yes, no] = [
      await names(register, { overdue: true }, as_of),
      await names(register, { overdue: false }, as_of),
    ];
    const told = (await list(register, {}, { ...as_of, view: 'FULL' })).filter((measure) => measure.overdue);
    assert.equal(
      [told.map(({ name }) => name), yes.length + no.length],
      [yes, (await list(register, {}, as_of)).length],
    );
    return yes;
  };
  assert.equal(await list(register, {}, { as_of: daysAgo(41) }), [], 'not there yet');
  for (const days of [39, 21, 20]) assert.equal(await overdue({ as_of: daysAgo(days) }), [], `${days} days ago`);
  for (const days of [19, 1]) assert.equal(await overdue({ as_of: daysAgo(days) }), ['Old'], `${days} days ago`);
  await add(register, { name: 'Due today', due_date: daysAgo(0) });
  await add(register, { name: 'Undated' });
  await add(register, { name: 'Done', due_date: daysAgo(1), state: 'IMPLEMENTED' });
  await add(register, { name: 'Out', due_date: daysAgo(1), state: 'NOT_APPLICABLE', justification: 'none' });
  await add(register, { name: 'Going on', due_date: daysAgo(1), state: 'IN_PROGRESS' });
  assert.equal(await overdue({}), ['Going on', 'Old']);
  const before = await position(register);
  await update(register, { id: OLD, state: 'IMPLEMENTED' });
  assert.equal(await overdue({}), ['Going on']);
  assert.equal(await overdue({ as_of: before }), ['Going on', 'Old']);
  await update(register, { id: OLD, state: 'IN_PROGRESS', reason: 'it broke' });
  assert.equal(await overdue({}), ['Going on', 'Old']);
});

test('count live evidence, risks and nothing else beside them, at every moment', async ({ register }) => {
  const risk = String((await add(register, { name: 'Flood' }, 'Risk')).id);
  const other = String((await add(register, { name: 'Fire' }, 'Risk')).id);
  const vendor = String((await add(register, { name: 'Unicloud' }, 'Vendor')).id);
  const links = [risk, other, vendor].map((to_id) => ({ from_id: OLD, to_id }));
  const counts = async (more: object = {}) => {
    const [old] = await list(register, { ids: [OLD] }, { view: 'FULL', ...more });
    return [old?.risk_count, old?.control_count, old?.evidence_count];
  };
  const lacking = async (more: object = {}) => {
    const facts = ['RISKS', 'CONTROLS', 'EVIDENCE', 'OWNER'];
    const found = await Promise.all(facts.map((fact) => list(register, { missing: [fact] }, more)));
    return facts.filter((_, index) => found[index]!.length > 0);
  };
  assert.equal(await counts(), [0, 0, 0]);
  assert.equal(await lacking(), ['RISKS', 'CONTROLS', 'EVIDENCE', 'OWNER']);
  await ok(register, 'linkRecords', { links });
  await add(register, { name: 'Expired', text: 'It worked.', valid_until: daysAgo(1), record_ids: [OLD] }, 'Evidence');
  await update(register, { id: OLD, owner_id: 'ME' });
  assert.equal(await counts(), [2, 0, 1], 'also evidence that has expired');
  assert.equal(await lacking(), ['CONTROLS', 'EVIDENCE'], 'but that is none for what is missing');
  const joined = await position(register);
  const more = await add(register, { name: 'Fresh', text: 'It works.', record_ids: [OLD] }, 'Evidence');
  assert.equal([await counts(), await lacking()], [[2, 0, 2], ['CONTROLS']]);
  await ok(register, 'archiveRecords', { ids: [risk, more.id], action: 'ARCHIVE', reason: 'done' });
  await ok(register, 'linkRecords', { links: [{ from_id: other, to_id: OLD }], action: 'UNLINK' });
  assert.equal(
    [await counts(), await lacking()],
    [
      [0, 0, 1],
      ['RISKS', 'CONTROLS', 'EVIDENCE'],
    ],
  );
  await ok(register, 'archiveRecords', { ids: [risk], action: 'RESTORE', reason: 'not done' });
  assert.equal(await counts(), [1, 0, 1]);
  assert.equal(
    [await counts({ as_of: joined }), await lacking({ as_of: joined })],
    [
      [2, 0, 1],
      ['CONTROLS', 'EVIDENCE'],
    ],
  );
  assert.equal(await counts({ as_of: daysAgo(1) }), [0, 0, 0]);
  assert.equal((await list(register, { linked_to: risk })).length, 1);
});

test('are filtered by state, category and due date, now and as they were', async ({ register }) => {
  await add(register, { name: 'A', category: 'Éncryption', state: 'IN_PROGRESS', due_date: daysAgo(-10) });
  const b = await add(register, { name: 'B', category: 'People', state: 'IMPLEMENTED', reference_id: 'M-2' });
  await add(register, { name: 'C', category: 'encryption', state: 'NOT_APPLICABLE', justification: 'none' });
  assert.equal(await names(register, { state: ['NOT_STARTED'] }), ['Old']);
  assert.equal(await names(register, { state: ['IN_PROGRESS', 'NOT_APPLICABLE'] }), ['A', 'C']);
  assert.equal(await names(register, { category: ['ENCRYPTION'] }), ['A', 'C']);
  assert.equal(await names(register, { category: ['encryption', 'people'], state: ['IMPLEMENTED'] }), ['B']);
  assert.equal(await names(register, { due_before: daysAgo(-10) }), ['Old'], 'before the day, and no undated ones');
  assert.equal(await names(register, { due_before: daysAgo(-11) }), ['A', 'Old']);
  assert.equal(await names(register, { query: 'm-2' }), ['B']);
  const then = { as_of: await position(register) };
  await update(register, { id: b.id, state: 'IN_PROGRESS', category: null, reason: 'it broke' });
  assert.equal(await names(register, { state: ['IMPLEMENTED'] }), []);
  assert.equal(await names(register, { state: ['IMPLEMENTED'], category: ['People'] }, then), ['B']);
  assert.equal(await names(register, { category: ['People'] }), []);
});

test('are ordered by name, by the way of the work, and by due date, undated ones last', async ({ register }) => {
  await add(register, { name: 'ábc', state: 'NOT_APPLICABLE', justification: 'none', due_date: daysAgo(-1) });
  await add(register, { name: 'B', state: 'IMPLEMENTED' });
  await add(register, { name: 'c', state: 'IN_PROGRESS', due_date: daysAgo(-2) });
  const then = { as_of: await position(register) };
  const ordered = async (field: string, direction: string, more: object = {}) =>
    (await names(register, {}, { order_by: { field, direction }, ...more })).join(' ');
  for (const more of [{}, then]) {
    assert.equal(await names(register, {}, more), ['ábc', 'B', 'c', 'Old']);
    assert.is(await ordered('name', 'DESC', more), 'Old c B ábc');
    assert.is(await ordered('state', 'ASC', more), 'Old c B ábc');
    assert.is(await ordered('state', 'DESC', more), 'ábc B c Old');
    assert.is(await ordered('due_date', 'ASC', more), 'Old ábc c B');
    assert.is(await ordered('due_date', 'DESC', more), 'c ábc Old B');
    assert.is(await ordered('created_at', 'ASC', more), 'Old ábc B c');
  }
});

test('keep since when they are implemented while they are', async ({ register }) => {
  const measure = await add(register, { name: 'B', state: 'IMPLEMENTED', implemented_at: '2024-05-01' });
  assert.is(measure.implemented_at, '2024-05-01T00:00:00.000Z');
  assert.is((await add(register, { name: 'C', state: 'IMPLEMENTED' })).implemented_at, null, 'nobody said since when');
  const { id } = measure;
  const implementedAt = async (fields: object) => (await update(register, { id, ...fields })).measure as Answer;
  assert.is((await implementedAt({ state: 'IN_PROGRESS', reason: 'it broke' })).implemented_at, null);
  const started = new Date().toISOString();
  const again = String((await implementedAt({ state: 'IMPLEMENTED' })).implemented_at);
  assert.ok(again >= started && again <= new Date().toISOString(), again);
  assert.is((await implementedAt({ state: 'NOT_APPLICABLE', justification: 'none' })).implemented_at, null);
  const answer = await update(register, { id, state: 'IMPLEMENTED', reason: 'we need it', expected_revision: 4 });
  assert.equal(answer.event_types, ['MeasureReinstated']);
  assert.ok(String((answer.measure as Answer).implemented_at) >= again);
  const same = await update(register, { id, state: 'IMPLEMENTED' });
  assert.equal([same.event_types, same.revision], [[], answer.revision]);
  const { error } = (await register.call('updateMeasure', { id, implemented_at: '2024-05-01' })) as { error: Answer };
  assert.equal([error.code, error.field], ['invalid_input', 'implemented_at']);
});

test('say what becomes of them, and whose name is like theirs', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'OLD', reference_id: 'M-1' };
  const added = await ok(register, 'addMeasure', input);
  assert.equal(added.similar, [{ id: OLD, name: 'Old' }]);
  const { id } = added.measure as Answer;
  await update(register, { id, state: 'NOT_APPLICABLE', justification: 'no servers', reason: 'cloud' });
  const filter = { record_id: [id], event_types: ['MeasureRuledOut'] };
  const { changes } = await ok<{ changes: Answer[] }>(register, 'listChanges', {
    organization_id: ORGANIZATION,
    filter,
  });
  assert.is(changes[0]!.reason, 'cloud');
  assert.equal(changes[0]!.changes, [
    { field: 'state', from: 'NOT_STARTED', to: 'NOT_APPLICABLE' },
    { field: 'justification', from: null, to: 'no servers' },
  ]);
  const fields = { id, reference_id: 'M-1', name: 'OLD', state: 'NOT_APPLICABLE', evidence_count: 0 };
  assert.equal((await list(register, { ids: [id] }))[0], fields);
});

test.run();
