/** addEvidence with `replaces`: the new piece takes over the links, the old one is archived, all by one call. */
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { toolCallsOf } from '../support/mcp/tool-calls.ts';
import { type Answer, callerAs, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('evidence that replaces another', 'EACH');

interface Added extends Answer {
  evidence: { id: string };
  call_id: string;
  changes?: readonly { record_id: string; field: string }[];
  error?: { code: string; field?: string; message: string };
}

/** Adds a measure, a risk linked with its evidence later, and evidence of the measure. Returns their ids. */
async function oldEvidence(register: TestRegister) {
  const { ok } = toolCallsOf(register);
  const measure = (await ok<{ measure: { id: string } }>('addMeasure', { name: 'Restore tests' })).measure.id;
  const risk = (await ok<{ risk: { id: string } }>('addRisk', { name: 'Fire' })).risk.id;
  const fields = { name: 'Test of May', record_ids: [measure], text: 'Restored', valid_until: '2027-01-01' };
  const old = (await ok<Added>('addEvidence', fields)).evidence.id;
  await ok('linkRecords', { links: [{ from_id: old, to_id: risk }] });
  return { measure, risk, old };
}

const replace = ({ call }: TestRegister, measure: string, replaces: string, more: object = {}, caller = callerAs()) =>
  call<Added>(
    'addEvidence',
    { organization_id: ORGANIZATION, name: 'Test of June', record_ids: [measure], text: 'Again', replaces, ...more },
    caller,
  );

async function evidenceOf(register: TestRegister, id: string): Promise<string[]> {
  const input = { ids: [id], include: ['EVIDENCE'] };
  const { records } = await toolCallsOf(register).ok<{ records: Answer[] }>('getRecords', input);
  return (records[0]!.evidence as { records: { id: string }[] }).records.map((one) => one.id);
}

async function stateOf(register: TestRegister, id: string): Promise<Answer> {
  const input = { ids: [id], include: ['ARCHIVED', 'HISTORY'] };
  const { records } = await toolCallsOf(register).ok<{ records: Answer[] }>('getRecords', input);
  return records[0]!;
}

const reasonsOf = ({ history }: Answer) =>
  (history as { changes: { reason: string | null }[] }).changes.map(({ reason }) => reason);

test('takes over the links, archives the other piece, and both name each other', async ({ register }) => {
  const { measure, risk, old } = await oldEvidence(register);
  const answer = await replace(register, measure, old, { reason: 'A newer test' });
  const { id } = answer.evidence;
  assert.equal(
    answer.changes!.map(({ record_id, field }) => [record_id, field]),
    [
      [old, 'replaced_by'],
      [old, 'archived_at'],
    ],
  );
  for (const linked of [measure, risk]) assert.equal(await evidenceOf(register, linked), [id]);
  const [before, after] = [await stateOf(register, old), await stateOf(register, id)];
  assert.ok(typeof before.archived_at === 'string');
  assert.equal([before.replaced_by, before.replaced, before.replaces], [id, true, null]);
  assert.equal([after.replaces, after.replaced, after.replaced_by], [old, false, null]);
  for (const record of [before, after]) assert.is(reasonsOf(record)[0], 'A newer test');
  // Without a reason, the archiving has one all the same.
  const { evidence } = await replace(register, measure, id);
  assert.is(reasonsOf(await stateOf(register, id))[0], 'Replaced by newer evidence');
  assert.is((await stateOf(register, evidence.id)).replaces, id);
  await toolCallsOf(register).ok('archiveRecords', { ids: [id], action: 'RESTORE', reason: 'Both count' });
  const restored = await stateOf(register, id);
  assert.equal([restored.archived_at, restored.replaced_by, restored.replaces], [null, null, old]);
});

test('one undo takes back both', async ({ register }) => {
  const { measure, risk, old } = await oldEvidence(register);
  const { call_id, evidence } = await replace(register, measure, old);
  await toolCallsOf(register).ok('importRecords', { undo: { call_id } });
  for (const linked of [measure, risk]) assert.equal(await evidenceOf(register, linked), [old]);
  const { archived_at, replaced_by } = await stateOf(register, old);
  assert.equal([archived_at, replaced_by], [null, null]);
  assert.ok(typeof (await stateOf(register, evidence.id)).archived_at === 'string');
});

test('an interrupted call is finished by its repeat with the key, by id and by name', async ({ register }) => {
  const { handler } = register;
  const execute = handler.execute.bind(handler);
  for (const word of ['id', 'name']) {
    const { measure, old } = await oldEvidence(register);
    const named = word === 'id' ? old : 'Test of May';
    const key = { idempotency_key: `replace by ${word}` };
    handler.execute = ((...args: Parameters<typeof execute>) => {
      if ((args[1] as { type: string }).type === 'Archive') throw new Refusal('unavailable', 'The store is away.');
      return execute(...args);
    }) as typeof handler.execute;
    assert.is((await replace(register, measure, named, key)).error?.code, 'unavailable');
    handler.execute = execute;
    const finished = await replace(register, measure, named, key);
    assert.is(finished.error, undefined, JSON.stringify(finished.error));
    assert.equal(await evidenceOf(register, measure), [finished.evidence.id], 'added once');
    const repeated = await replace(register, measure, named, key);
    assert.equal([repeated.evidence.id, repeated.call_id], [finished.evidence.id, finished.call_id]);
    assert.is((await replace(register, measure, named, { ...key, text: 'Other' })).error?.code, 'idempotency_conflict');
    await toolCallsOf(register).ok('archiveRecords', { ids: [measure], action: 'ARCHIVE', reason: 'The next round' });
  }
});

test('adds nothing if the other piece is archived or unknown, or the role may not archive', async ({ register }) => {
  const { measure, old } = await oldEvidence(register);
  const refused = async (replaces: string, caller = callerAs()) => {
    const { error } = await replace(register, measure, replaces, {}, caller);
    return error && [error.code, error.field];
  };
  assert.equal(await refused(old, callerAs('EDITOR')), ['forbidden', undefined]);
  assert.equal(await refused(randomId('evd')), ['not_found', 'replaces']);
  assert.equal(await refused(measure), ['invalid_input', 'replaces']);
  await toolCallsOf(register).ok('archiveRecords', { ids: [old], action: 'ARCHIVE', reason: 'Old' });
  assert.equal(await refused(old), ['invalid_transition', 'replaces']);
  assert.equal(await evidenceOf(register, measure), []);
});

test.run();
