/** Undo of a call by importRecords. */
import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { Refusal } from '../../src/commands/engine/refusal.ts';
import { recordAggregate } from '../../src/commands/families.ts';
import type { ImportAnswer } from '../../src/import/import-answer.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { undoCall } from '../../src/tools/undo-call.ts';
import { adopt } from '../support/controls.ts';
import { runImport, suppliers } from '../support/mcp/imports.ts';
import { type ToolCalls, toolCallsOf } from '../support/mcp/tool-calls.ts';
import { addMember, removeMember } from '../support/members.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('undo of a call', 'EACH');

interface UndoAnswer extends ImportAnswer, Answer {
  error?: { code: string; field?: string; message: string };
}

interface UndoOptions {
  more?: object;
  role?: 'EDITOR' | 'ADMIN';
}

/** Undoes a call, or tries to. */
function undo({ call }: TestRegister, call_id: unknown, { more = {}, role }: UndoOptions = {}): Promise<UndoAnswer> {
  const input = { organization_id: ORGANIZATION, undo: { call_id }, ...more };
  return call<UndoAnswer>('importRecords', input, callerAs(role));
}

/** Returns records by id as they are, archived ones too. */
async function recordsOf({ ok }: ToolCalls, ids: readonly string[]): Promise<Answer[]> {
  const { records } = await ok<{ records: Answer[] }>('getRecords', { ids, include: ['ARCHIVED', 'HISTORY'] });
  return records;
}

test('an import that changed many records goes back after its dry run, and once only', async ({ register }) => {
  const calls = toolCallsOf(register);
  const { rows } = await runImport(register, 'VENDOR', suppliers(7));
  const ids = rows.map(({ id }) => id!);
  const wrong = { type: 'VENDOR', rows: ids.map((id) => ({ id, criticality: 'LOW', country: 'XX' })), reason: 'r' };
  const { selection } = await calls.ok<{ selection: string }>('importRecords', { ...wrong, dry_run: true });
  const { call_id } = await calls.ok('importRecords', { ...wrong, selection });
  await calls.ok('updateVendor', { id: ids[0], country: 'NO' });
  const { error } = await undo(register, call_id);
  assert.equal([error?.code, error?.field], ['invalid_input', 'selection']);
  const dryRun = await undo(register, call_id, { more: { dry_run: true } });
  assert.is(dryRun.updated, 7);
  assert.equal(dryRun.skipped, [{ id: ids[0], why: 'CHANGED_SINCE', fields: ['country'] }]);
  assert.ok(dryRun.changes!.some(({ field, from, to }) => field === 'criticality' && from === 'LOW' && to === null));
  const undone = await undo(register, call_id, { more: { selection: dryRun.selection } });
  assert.equal([undone.updated, undone.call_id], [7, dryRun.call_id]);
  const records = await recordsOf(calls, ids);
  assert.equal(new Set(records.map(({ criticality }) => criticality)), new Set([null]));
  assert.is(records.find(({ id }) => id === ids[0])!.country, 'NO');
  const [newest] = (records[1]!.history as { changes: Answer[] }).changes;
  assert.equal([newest!.event_type, newest!.reason], ['VendorUndone', `Undo of call ${call_id}`]);
  const again = await undo(register, call_id, { more: { selection: dryRun.selection } });
  assert.equal([again.error, again.call_id], [undefined, dryRun.call_id], 'the same call again is a repeat');
  const { updated } = await undo(register, call_id, { more: { dry_run: true } });
  assert.is(updated, 0, 'nothing is left to undo');
  const redo = await undo(register, undone.call_id, { more: { dry_run: true } });
  assert.is(redo.updated, 7, 'an undo is undone like any other call');
});

test('added records are archived unless they are used, and their rows then add them anew', async ({ register }) => {
  const calls = toolCallsOf(register);
  const rows = suppliers(3);
  const added = await runImport(register, 'VENDOR', rows);
  const ids = added.rows.map(({ id }) => id!);
  const risk = await calls.add('Risk', { name: 'Fire' });
  const link = { links: [{ from_id: risk.id, to_id: ids[0] }] };
  const linked = await calls.ok('linkRecords', link);
  await calls.ok('updateVendor', { id: ids[1], country: 'NO' });
  const answer = await undo(register, added.call_id);
  assert.equal(
    answer.skipped!.map(({ id, why }) => [id, why]).sort(),
    [
      [ids[0], 'LINKED_SINCE'],
      [ids[1], 'CHANGED_SINCE'],
    ].sort(),
  );
  const archived = (await recordsOf(calls, ids)).filter(({ archived_at }) => archived_at !== null);
  assert.equal(
    archived.map(({ id }) => id),
    [ids[2]],
  );
  const again = await runImport(register, 'VENDOR', rows);
  assert.equal([again.created, again.unchanged], [1, 2]);
  assert.equal((await runImport(register, 'VENDOR', rows)).unchanged, 3, 'once');
  const unlinked = await undo(register, linked.call_id);
  assert.equal(unlinked.links, [{ from_id: unlinked.links![0]!.from_id, to_id: unlinked.links![0]!.to_id }]);
  assert.is((await undo(register, added.call_id)).updated, 1, 'the first is not linked any more');
});

test('the undo of additions is repeated by its key or its selection, and nothing is named as changed', async ({
  register,
}) => {
  const few = await runImport(register, 'VENDOR', suppliers(3));
  const keyed = () => undo(register, few.call_id, { more: { idempotency_key: 'once' } });
  const first = await keyed();
  assert.equal([first.updated, first.skipped], [3, undefined]);
  const rowsOf = ({ rows, skipped, error }: UndoAnswer) => ({ rows, skipped, error });
  assert.equal(rowsOf(await keyed()), rowsOf(first));
  const later = await undo(register, few.call_id, { more: { dry_run: true } });
  assert.equal([later.updated, later.skipped], [0, undefined]);
  const rows = Array.from({ length: 8 }, (_, index) => ({ name: `Risk ${index}` }));
  const many = await runImport(register, 'RISK', rows);
  const { selection } = await undo(register, many.call_id, { more: { dry_run: true } });
  const selected = () => undo(register, many.call_id, { more: { selection } });
  const second = await selected();
  assert.equal([second.updated, second.skipped], [8, undefined]);
  assert.equal(rowsOf(await selected()), rowsOf(second));
});

test('after an undo, a corrected row is imported under the same number', async ({ register }) => {
  const row = (name: string) => [{ reference_id: 'R-1', name }];
  const wrong = await runImport(register, 'RISK', row('Fyre'));
  await undo(register, wrong.call_id);
  const right = await runImport(register, 'RISK', row('Fire'));
  assert.equal([right.created, right.rows[0]!.id === wrong.rows[0]!.id], [1, false]);
  assert.is((await runImport(register, 'RISK', row('Fire'))).unchanged, 1);
  const other = await runImport(register, 'RISK', row('Flood'));
  assert.equal(
    other.rows[0]!.errors?.map(({ field }) => field),
    ['reference_id'],
  );
});

test('a framework is archived unless its controls are used, and crosswalks and links go back', async ({ register }) => {
  const calls = toolCallsOf(register);
  const [one, other] = [await adopt(register, 'One', ['1', '2']), await adopt(register, 'Other', ['1', '2'])];
  const pair = { from_control: one.ids['1'], to_control: other.ids['1'], relation: 'SUPPORTS' };
  const links = [{ from_id: one.ids['1'], to_id: other.ids['1'], relation: 'EQUIVALENT' }];
  await calls.ok('linkRecords', { links });
  const crosswalk = await calls.ok('importRecords', { type: 'CROSSWALK', rows: [pair] });
  const relations = async () => {
    const filter = { framework_id: [one.framework], linked_framework_id: [other.framework] };
    const controls = await calls.list('listControls', filter);
    return controls.flatMap(({ linked_controls }) => (linked_controls as Answer[]).map(({ relation }) => relation));
  };
  assert.equal(await relations(), ['SUPPORTS']);
  const adopted = await calls.ok('listChanges', { filter: { record_id: [one.framework] }, view: 'FULL' });
  const { call_id } = (adopted.changes as Answer[]).at(-1)!;
  const used = await undo(register, call_id);
  const linked = '1 of its controls was linked since: 1.';
  assert.equal(used.skipped, [{ id: one.framework, why: 'LINKED_SINCE', message: linked }]);
  assert.is((await undo(register, crosswalk.call_id)).links?.length, 1);
  assert.equal(await relations(), ['EQUIVALENT']);
  await calls.ok('linkRecords', {
    links: [{ from_id: one.ids['1'], to_id: other.ids['1'] }],
    action: 'UNLINK',
    reason: 'r',
  });
  const control = await calls.ok('updateControl', { id: one.ids['2'], description: 'Changed' });
  const changed = '1 of its controls was changed since: 2.';
  assert.equal((await undo(register, call_id)).skipped, [
    { id: one.framework, why: 'CHANGED_SINCE', message: changed },
  ]);
  await undo(register, control.call_id);
  assert.is((await undo(register, call_id)).updated, 1);
  const [framework] = await recordsOf(calls, [one.framework]);
  assert.ok(framework!.archived_at);
});

test('an undo needs the permission of what it undoes, and refuses what it does not take', async ({ register }) => {
  const calls = toolCallsOf(register);
  const vendor = await calls.add('Vendor', { name: 'Unicloud' });
  const archived = await calls.ok('archiveRecords', { ids: [vendor.id], action: 'ARCHIVE', reason: 'r' });
  assert.is((await undo(register, archived.call_id, { role: 'EDITOR' })).error?.code, 'forbidden');
  assert.is((await undo(register, archived.call_id, { role: 'ADMIN' })).updated, 1);
  const unknown = await undo(register, '0b1f7a52-9d64-4b7e-8a3c-5e6d7f809120');
  assert.equal([unknown.error?.code, unknown.error?.field], ['not_found', 'undo.call_id']);
  const wrong = await undo(register, 'the last one');
  assert.match(wrong.error!.message, 'undo.call_id is not a call_id: answers to writes have it');
  assert.is((await undo(register, ` ${String(archived.call_id).toUpperCase()}`)).error, undefined);
  const ofOther = await undo(register, archived.call_id, { more: { type: 'RISK' } });
  assert.is(ofOther.error?.code, 'not_found');
  const both = await undo(register, archived.call_id, { more: { rows: [{ name: 'x' }], type: 'VENDOR' } });
  assert.equal([both.error?.code, both.error?.field], ['invalid_input', 'rows']);
});

test('a control stays archived while its framework is, and the others go back', async ({ register }) => {
  const calls = toolCallsOf(register);
  const { framework, ids } = await adopt(register, 'One', ['1']);
  const vendor = await calls.add('Vendor', { name: 'Unicloud' });
  const archive = (of: unknown[]) => calls.ok('archiveRecords', { ids: of, action: 'ARCHIVE', reason: 'r' });
  const both = await archive([ids['1'], vendor.id]);
  await archive([framework]);
  const undone = await undo(register, both.call_id);
  assert.is(undone.updated, 1);
  assert.equal(
    undone.skipped?.map(({ id, why, message }) => [id, why, message?.includes('which is archived')]),
    [[ids['1'], 'REFUSED', true]],
  );
  const alone = await undo(register, both.call_id, { more: { type: 'CONTROL' } });
  assert.is(alone.error?.code, 'invalid_transition');
  await calls.ok('archiveRecords', { ids: [framework], action: 'RESTORE', reason: 'r' });
  assert.is((await undo(register, both.call_id)).updated, 1);
  const together = await archive([ids['1'], framework]);
  assert.is((await undo(register, together.call_id)).updated, 1, 'first the framework');
  assert.is((await undo(register, together.call_id)).updated, 1, 'then its control');
});

test('a call that wrote more than 200 records is undone in several', async ({ register }) => {
  const correlation_id = '0b1f7a52-9d64-4b7e-8a3c-5e6d7f809121';
  const add = (fields: { name: string }) => {
    const command = { type: 'AddVendor', fields };
    const envelope = envelopeFor({ correlation_id, command_id: randomUUID(), input: command });
    return register.handler.execute(recordAggregate(randomId('vnd')), command, envelope);
  };
  await Promise.all(suppliers(260).map(add));
  await toolCallsOf(register).add('Vendor', { name: 'Of another call' });
  const step = async () => {
    const dryRun = await undo(register, correlation_id, { more: { dry_run: true } });
    const more = { selection: dryRun.selection };
    const { updated, remaining, skipped } = await undo(register, correlation_id, { more });
    assert.equal([remaining, dryRun.skipped, skipped], [dryRun.remaining, undefined, undefined]);
    assert.is((await undo(register, correlation_id, { more })).updated, updated, 'a repeat');
    return [updated, remaining];
  };
  assert.equal(await step(), [200, 60]);
  assert.equal(await step(), [60, undefined]);
});

/** Undoes a call as `undo` does, but looks at three records at most. */
function undoThree(register: TestRegister, call_id: string, more: object = {}): Promise<ImportAnswer> {
  const tool = { name: 'importRecords', permission: 'changeRecords' };
  const isProjected = () => register.projections.progress.waitUntilCaughtUp(Date.now(), 5_000).then(() => true);
  const service = { ...register, waitUntilProjected: isProjected };
  const context = { caller: callerAs(), service, tool } as unknown as ToolContext;
  return undoCall(context, { organization_id: ORGANIZATION, undo: { call_id }, ...more }, 3);
}

test('an undo looks at a limited number, and says what it did not look at', async ({ register }) => {
  const { call_id } = await runImport(register, 'VENDOR', suppliers(5));
  const look = () => undoThree(register, call_id!, { dry_run: true });
  const { updated, remaining } = await look();
  assert.equal([updated, remaining], [3, 2]);
  await undo(register, call_id);
  const refusal = (await look().catch((error: unknown) => error)) as Refusal;
  assert.equal([refusal.code, refusal.more.field], ['invalid_input', 'undo.call_id']);
  assert.match(refusal.message, 'did not look at the other 2');
});

test('an undo of a long call reaches its oldest records, also those that others changed', async ({ register }) => {
  const calls = toolCallsOf(register);
  const { rows } = await runImport(register, 'VENDOR', suppliers(9));
  const ids = rows.map(({ id }) => id!);
  const wrong = { type: 'VENDOR', rows: ids.map((id) => ({ id, criticality: 'LOW', country: 'XX' })), reason: 'r' };
  const { selection } = await calls.ok<{ selection: string }>('importRecords', { ...wrong, dry_run: true });
  const { call_id } = await calls.ok<{ call_id: string }>('importRecords', { ...wrong, selection });
  for (const id of [ids[0], ids[4], ids[8]]) await calls.ok('updateVendor', { id, country: 'NO' });
  for (let round = 0; round < 3; round++) {
    const dryRun = await undoThree(register, call_id, { dry_run: true });
    assert.equal([dryRun.updated, dryRun.remaining], [3, 6]);
    const more = { selection: dryRun.selection };
    const undone = await undoThree(register, call_id, more);
    assert.is(undone.updated, 3);
    const repeated = await undoThree(register, call_id, more);
    assert.equal(repeated.rows, undone.rows, 'a repeat finds the same records');
  }
  const records = await recordsOf(calls, ids);
  assert.equal(new Set(records.map(({ criticality }) => criticality)), new Set([null]));
});

test('an undo makes nobody the owner again who has left, and says so', async ({ register }) => {
  const calls = toolCallsOf(register);
  const member = await addMember(register, 'Ines Duarte');
  const vendor = await calls.add('Vendor', { name: 'Alder', owner_id: member });
  const update = { id: vendor.id, owner_id: OWNER, country: 'NO' };
  const { call_id } = await calls.ok('updateVendor', update);
  await removeMember(register, member);
  const { updated, skipped } = await undo(register, call_id);
  assert.equal([updated, skipped], [1, [{ id: vendor.id, why: 'OWNER_GONE', fields: ['owner_id'] }]]);
  const [after] = await recordsOf(calls, [String(vendor.id)]);
  assert.equal([after!.owner_id, after!.country], [OWNER, null]);
  const again = await undo(register, call_id);
  assert.equal([again.updated, again.skipped], [0, skipped]);
});

test('frameworks are undone by type and set by type, but no rows have it', async ({ register }) => {
  const calls = toolCallsOf(register);
  const member = await addMember(register, 'Ines Duarte');
  const { framework: id } = await adopt(register, 'ISO 9001', ['4.1']);
  const set = { organization_id: ORGANIZATION, type: 'FRAMEWORK', set: { owner_id: member }, ids: [id] };
  const { selection } = await calls.ok('importRecords', { ...set, dry_run: true });
  const { call_id, updated } = await calls.ok('importRecords', { ...set, selection });
  assert.is(updated, 1);
  assert.is((await undo(register, call_id, { more: { type: 'VENDOR' } })).error?.code, 'not_found');
  assert.is((await undo(register, call_id, { more: { type: 'FRAMEWORK' } })).updated, 1);
  const [framework] = await recordsOf(calls, [id]);
  assert.is.not(framework!.owner_id, member);
  const rows = { organization_id: ORGANIZATION, type: 'FRAMEWORK', rows: [{ name: 'x' }] };
  const refused = await register.call<UndoAnswer>('importRecords', rows, callerAs());
  assert.equal([refused.error?.code, refused.error?.field], ['invalid_input', 'type']);
  assert.match(refused.error!.message, 'Rows have no type FRAMEWORK');
});

test.run();
