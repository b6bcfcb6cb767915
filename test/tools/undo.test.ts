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
import { type Answer, callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../support/register.ts';
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
  assert.equal(used.skipped, [{ id: one.framework, why: 'LINKED_SINCE' }]);
  assert.is((await undo(register, crosswalk.call_id)).links?.length, 1);
  assert.equal(await relations(), ['EQUIVALENT']);
  await calls.ok('linkRecords', {
    links: [{ from_id: one.ids['1'], to_id: other.ids['1'] }],
    action: 'UNLINK',
    reason: 'r',
  });
  const control = await calls.ok('updateControl', { id: one.ids['2'], description: 'Changed' });
  assert.equal((await undo(register, call_id)).skipped, [{ id: one.framework, why: 'CHANGED_SINCE' }]);
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

test('an undo looks at a limited number, and says what it did not look at', async ({ register }) => {
  const { call_id } = await runImport(register, 'VENDOR', suppliers(5));
  const tool = { name: 'importRecords', permission: 'changeRecords' };
  const context = { caller: callerAs(), service: register, tool } as unknown as ToolContext;
  const look = () =>
    undoCall(context, { organization_id: ORGANIZATION, undo: { call_id: call_id! }, dry_run: true }, 3);
  const { updated, remaining } = await look();
  assert.equal([updated, remaining], [3, 2]);
  await undo(register, call_id);
  const refusal = (await look().catch((error: unknown) => error)) as Refusal;
  assert.equal([refusal.code, refusal.more.field], ['invalid_input', 'undo.call_id']);
  assert.match(refusal.message, 'did not look at the other 2');
});

test.run();
