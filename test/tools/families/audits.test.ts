import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { type ToolCalls, toolCallsOf } from '../../support/mcp/tool-calls.ts';
import { type Answer, startRegister, type TestRegister } from '../../support/register.ts';

interface Context extends ToolCalls {
  register: TestRegister;
  framework: string;
  adopt(name: string): Promise<string>;
  plan(fields: object): Promise<{ id: string }>;
}

const test = suite<Context>('audits');

test.before.each(async (context) => {
  const register = await startRegister();
  const { add } = Object.assign(context, toolCallsOf(register), { register });
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  context.adopt = async (name) => (await add('Framework', { name, controls })).id;
  context.framework = await context.adopt('House rules');
  context.plan = (fields) => add('Audit', { framework_id: context.framework, ...fields });
});

test.after.each(({ register }) => register.stop());

test('an audit belongs to an existing framework, which can be corrected', async ({
  framework,
  plan,
  ok,
  refused,
  names,
  adopt,
}) => {
  const otherFramework = await adopt('Other rules');
  const { id } = await plan({ name: 'Spring' });
  await plan({ name: 'Autumn', framework_id: otherFramework });
  const addAudit = async (frameworkId: string, extraInput: object = {}) => {
    const auditNames = await names('listAudits', { framework_id: [frameworkId] }, extraInput);
    assert.equal(await names('listAudits', { linked_to: frameworkId }, extraInput), auditNames);
    return auditNames;
  };
  assert.equal([await addAudit(framework), await addAudit(otherFramework)], [['Spring'], ['Autumn']]);
  const { position } = await ok('updateAudit', { id, framework_id: otherFramework });
  assert.equal([await addAudit(framework), (await addAudit(otherFramework)).toSorted()], [[], ['Autumn', 'Spring']]);
  const before = { as_of: String(Number(position) - 1) };
  assert.equal([await addAudit(framework, before), await addAudit(otherFramework, before)], [['Spring'], ['Autumn']]);
  assert.equal((await names('listAudits', { framework_id: [framework, otherFramework] })).length, 2);
  assert.equal(await refused('addAudit', { name: 'Of nothing' }), ['invalid_input', 'framework_id']);
  const wrongPrefix = { name: 'X', framework_id: randomId('vnd') };
  assert.equal(await refused('addAudit', wrongPrefix), ['invalid_input', 'framework_id']);
  const unknownFramework = randomId('frm');
  assert.equal(await refused('updateAudit', { id, framework_id: unknownFramework }), ['not_found', 'framework_id']);
  assert.equal(await refused('updateAudit', { id, framework_id: null }), ['invalid_input', 'framework_id']);
  await ok('archiveRecords', { ids: [framework], action: 'ARCHIVE', reason: 'gone' });
  const archived = { id, framework_id: framework };
  assert.equal(await refused('updateAudit', archived), ['invalid_transition', 'framework_id']);
});

test('listAudits filters by state, kind, start and validity, now and as_of', async ({ plan, ok, names }) => {
  const { id } = await plan({
    name: 'A',
    kind: 'INTERNAL',
    starts_on: '2026-03-01',
    valid_from: '2026-03-10',
    valid_until: '2027-03-09',
  });
  await plan({ name: 'B', kind: 'SURVEILLANCE', state: 'REJECTED', starts_on: '2026-04-01' });
  await plan({ name: 'C', state: 'IN_PROGRESS', valid_until: '2026-12-31' });
  await plan({ name: 'D', state: 'OUTDATED', valid_from: '2025-01-01', starts_on: '2025-01-01' });
  const list = async (filter: object, extraInput: object = {}) =>
    (await names('listAudits', filter, { order_by: { field: 'name' }, ...extraInput })).join('');
  const listAll = async (extraInput: object) => {
    assert.is(await list({ state: ['NOT_STARTED', 'REJECTED'] }, extraInput), 'AB');
    assert.is(await list({ state: ['IN_PROGRESS'] }, extraInput), 'C');
    assert.is(await list({ kind: ['INTERNAL'] }, extraInput), 'A');
    assert.is(await list({ kind: ['INTERNAL', 'SURVEILLANCE'] }, extraInput), 'AB');
    assert.is(await list({ starts_before: '2026-04-01' }, extraInput), 'AD');
    assert.is(await list({ starts_after: '2026-03-01' }, extraInput), 'B');
    assert.is(await list({ starts_after: '2026-02-28', starts_before: '2026-04-01' }, extraInput), 'A');
    assert.is(await list({ valid_on: '2026-03-09' }, extraInput), 'CD');
    assert.is(
      await list({ valid_on: '2026-03-10' }, extraInput),
      'ACD',
      'an audit without an end stays valid, one without dates never is',
    );
    assert.is(await list({ valid_on: '2027-03-09' }, extraInput), 'AD');
    assert.is(await list({ valid_on: '2027-03-10' }, extraInput), 'D');
    assert.is(await list({ valid_on: '2024-12-31' }, extraInput), 'C');
    assert.is(await list({ missing: ['OWNER'] }, extraInput), 'ABCD');
    assert.is(await list({ missing: ['OWNER', 'EVIDENCE'], query: 'b' }, extraInput), 'B');
  };
  await listAll({});
  const { position } = await ok<{ position: string }>('updateAudit', {
    id,
    kind: 'EXTERNAL',
    state: 'REJECTED',
    starts_on: '2024-01-01',
    valid_from: null,
    valid_until: null,
    owner_id: 'ME',
  });
  assert.is(await list({ kind: ['INTERNAL'] }), '');
  assert.is(await list({ missing: ['OWNER'] }), 'BCD');
  assert.is(await list({ valid_on: '2026-03-10' }), 'CD');
  // The update led to three events: details changed, owner assigned, rejected.
  await listAll({ as_of: String(Number(position) - 3) });
});

test('listAudits orders by start, end of validity and name, undated audits last', async ({ position, plan, names }) => {
  await plan({ name: 'b', starts_on: '2026-03-01', valid_until: '2027-01-01' });
  await plan({ name: 'Á', starts_on: '2026-04-01' });
  await plan({ name: 'c', valid_until: '2026-01-01' });
  const moment = { as_of: await position() };
  for (const extraInput of [{}, moment]) {
    const ordered = async (field: string, direction: string) =>
      (await names('listAudits', {}, { order_by: { field, direction }, ...extraInput })).join('');
    assert.is((await names('listAudits', {}, extraInput)).join(''), 'bÁc', 'by start date, unless order_by is set');
    assert.is(await ordered('starts_on', 'DESC'), 'Ábc');
    assert.is(await ordered('valid_until', 'ASC'), 'cbÁ');
    assert.is(await ordered('valid_until', 'DESC'), 'bcÁ');
    assert.is(await ordered('name', 'ASC'), 'Ábc');
    assert.is(await ordered('name', 'DESC'), 'cbÁ');
    assert.is(await ordered('created_at', 'ASC'), 'bÁc');
  }
});

test('an audit has a summary, and adding one names similar audits', async ({ framework, plan, ok }) => {
  const { id } = await plan({ name: 'Spring', kind: 'EXTERNAL', valid_until: '2027-01-01' });
  const answer = await ok('addAudit', {
    framework_id: framework,
    name: 'SPRING',
  });
  assert.equal(answer.similar, [{ id, name: 'Spring' }]);
  const { audits } = await ok<{ audits: Answer[] }>('listAudits', {
    filter: { ids: [id] },
  });
  const fields = { name: 'Spring', kind: 'EXTERNAL', state: 'NOT_STARTED', valid_until: '2027-01-01' };
  assert.equal(audits, [{ id, ...fields }]);
});

test.run();
