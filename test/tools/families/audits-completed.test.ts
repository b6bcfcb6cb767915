import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { buildGeneration } from '../../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import { type ToolCalls, toolCallsOf } from '../../support/mcp/tool-calls.ts';
import { daysAgo } from '../../support/past.ts';
import {
  type Answer,
  callerAs,
  dumpDocuments,
  envelopeFor,
  INSTALLATION_ID,
  OWNER,
  startRegister,
  type TestRegister,
} from '../../support/register.ts';

interface Context extends ToolCalls {
  register: TestRegister;
  framework: string;
  plan(fields: object): Promise<{ id: string }>;
  /** Returns the audit and the write's position. */
  changeState(id: string, state: string, extraInput?: object): Promise<Answer & { position: string }>;
}

const test = suite<Context>('completed audits');

test.before.each(async (context) => {
  const register = await startRegister();
  const { ok, add } = Object.assign(context, toolCallsOf(register), { register });
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const { id: framework_id } = await add('Framework', { name: 'House rules', controls });
  context.framework = framework_id;
  context.plan = (fields) => add('Audit', { framework_id, ...fields });
  context.changeState = async (id, state, extraInput) => {
    const answer = await ok('updateAudit', { id, state, ...extraInput, reason: 'Found out' });
    return { ...(answer.audit as Answer), position: answer.position as string };
  };
});

test.after.each(({ register }) => register.stop());

test('completing an audit pins the position, until it is completed again', async ({
  register,
  plan,
  changeState,
  ok,
}) => {
  const { id } = await plan({ name: 'Spring' });
  const completedPosition = async (extraInput: object = {}) => {
    const { records } = await ok<{ records: Answer[] }>('getRecords', { ids: [id], ...extraInput });
    return records[0]!.completed_position;
  };
  assert.is(await completedPosition(), null);
  const first = await changeState(id, 'COMPLETED', { auditor: 'Audit House' });
  assert.is(
    first.completed_position,
    first.position,
    'the position of the completing event, not of a correction in the same call',
  );
  await ok('updateAudit', { id, name: 'Spring audit', owner_id: 'ME' });
  const evidence = { name: 'Report', text: 'All is well.', record_ids: [id] };
  await ok('addEvidence', evidence);
  assert.is(await completedPosition(), first.position);
  const reopened = await changeState(id, 'IN_PROGRESS', { reason: 'a finding was missed' });
  assert.equal([reopened.state, reopened.completed_position], ['IN_PROGRESS', first.position]);
  const second = await changeState(id, 'COMPLETED');
  assert.is(second.completed_position, second.position);
  assert.ok(Number(second.position) > Number(first.position));
  assert.is((await changeState(id, 'OUTDATED')).completed_position, second.position);
  await ok('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'done' });
  assert.is(await completedPosition({ include: ['ARCHIVED'] }), second.position);
  assert.is(await completedPosition({ as_of: String(Number(second.position) - 1) }), first.position);
  assert.is(await completedPosition({ as_of: String(Number(first.position) - 1) }), null);
  const documents = await dumpDocuments(register.projections.models);
  const { generation } = await buildGeneration({ ...register.stores, installation: INSTALLATION_ID });
  assert.equal(
    await dumpDocuments(await register.stores.reads.open(generation, COLLECTIONS)),
    documents,
    'rebuilt documents are equal',
  );
});

test('an audit’s id as as_of shows the register at its completion', async ({ plan, changeState, ok, add, names }) => {
  const { id } = await plan({ name: 'Spring' });
  const { id: risk } = await add('Risk', { name: 'Flood' });
  const first = await changeState(id, 'COMPLETED');
  await ok('updateRisk', { id: risk, name: 'Great flood' });
  await add('Risk', { name: 'Wind' });
  const moment = { as_of: id };
  assert.equal(await names('listRisks', {}, moment), ['Flood']);
  const list = await ok('listRisks', { ...moment });
  assert.equal(list.as_of, { position: first.position, date: daysAgo(0) });
  const { records } = await ok<{ records: Answer[] }>('getRecords', { ids: [risk, id], ...moment });
  assert.equal(
    [records[0]!.name, records[1]!.state],
    ['Flood', 'COMPLETED'],
    'the audit also shows its own state of that time',
  );
  await changeState(id, 'IN_PROGRESS', { reason: 'a finding was missed' });
  assert.equal(await names('listRisks', {}, moment), ['Flood'], 'unchanged while the audit is open again');
  await changeState(id, 'COMPLETED');
  assert.equal((await names('listRisks', {}, moment)).toSorted(), ['Great flood', 'Wind']);
  assert.equal(
    await names('listRisks', {}, { as_of: first.position }),
    ['Flood'],
    'the first completion’s position still shows the earlier register',
  );
});

test('an audit’s id as from or to limits a list of changes', async ({ plan, changeState, ok, add }) => {
  const changesWith = async (filter: object, extraInput: object = {}) => {
    const input = { filter, ...extraInput };
    const { changes } = await ok<{ changes: Answer[] }>('listChanges', input);
    return changes.map(({ event_type }) => event_type);
  };
  const { id } = await plan({ name: 'Spring' });
  await changeState(id, 'COMPLETED');
  const { id: laterAudit } = await plan({ name: 'Autumn' });
  await add('Risk', { name: 'Flood' });
  await changeState(laterAudit, 'COMPLETED');
  await add('Risk', { name: 'Wind' });
  const typesBetween = ['AuditCompleted', 'RiskAdded', 'AuditAdded', 'AuditCompleted'];
  assert.equal(await changesWith({ from: id, to: laterAudit }), typesBetween);
  assert.equal(await changesWith({ from: id }), ['RiskAdded', ...typesBetween]);
  assert.equal(await changesWith({ from: id }, { as_of: laterAudit }), typesBetween);
  assert.equal(await changesWith({ to: id }), [
    'AuditCompleted',
    'AuditAdded',
    'FrameworkAdopted',
    'MemberAdded',
    'OrganizationCreated',
  ]);
});

test('as_of refuses an audit that was never completed or belongs to another organization', async ({
  register,
  framework,
  plan,
  refused,
}) => {
  const { id: planned } = await plan({ name: 'Planned' });
  const { id: outdated } = await plan({ name: 'From the old register', state: 'OUTDATED' });
  const { auditId: theirAudit, frameworkId: theirFramework } = await completeAuditElsewhere(register);
  const ourAudit = { name: 'Ours', framework_id: theirFramework };
  assert.equal(await refused('addAudit', ourAudit), ['not_found', 'framework_id']);
  for (const [id, code] of [
    [planned, 'invalid_input'],
    [outdated, 'invalid_input'],
    [theirAudit, 'not_found'],
    [randomId('aud'), 'not_found'],
  ] as const) {
    for (const tool of ['listRisks', 'listAudits', 'listChanges']) {
      assert.equal(await refused(tool, { as_of: id }), [code, 'as_of']);
    }
    assert.equal(await refused('getRecords', { ids: [framework], as_of: id }), [code, 'as_of']);
    for (const bound of ['from', 'to']) {
      const filter = { [bound]: id };
      assert.equal(await refused('listChanges', { filter }), [code, `filter.${bound}`]);
    }
  }
});

/** Completes an audit in another organization of the same caller. */
async function completeAuditElsewhere(register: TestRegister): Promise<{ auditId: string; frameworkId: string }> {
  const organization_id = randomId('org');
  const founding = { name: 'Other', import_key: 'a key', installation: INSTALLATION_ID, owner_id: OWNER };
  const envelope = envelopeFor({ organization_id });
  await register.handler.execute(
    organizationAggregate(organization_id),
    { type: 'CreateOrganization', ...founding },
    envelope,
  );
  const caller = callerAs('OWNER', { roles: new Map([[organization_id, 'OWNER']]) });
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const { framework } = await register.call('addFramework', { organization_id, name: 'Theirs', controls }, caller);
  const framework_id = (framework as { id: string }).id;
  const { audit } = await register.call('addAudit', { organization_id, framework_id, name: 'Theirs' }, caller);
  const { id } = audit as { id: string };
  const completed = (await register.call('updateAudit', { id, state: 'COMPLETED', reason: 'Found out' }, caller))
    .audit as Answer;
  assert.type(completed.completed_position, 'string');
  assert.not('error' in (await register.call('listRisks', { organization_id, as_of: id }, caller)));
  return { auditId: id, frameworkId: framework_id };
}

test.run();
