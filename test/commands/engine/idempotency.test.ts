import * as assert from 'uvu/assert';
import type { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { commandId, derivedId } from '../../../src/commands/engine/ids.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { envelopeFor, ORGANIZATION } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { handlerOn, logSuite } from '../../support/stores/log-suite.ts';

const test = logSuite('idempotency');

const STREAM = 'vendor-vnd_1';
const ADD: VendorCommand = { type: 'AddVendor', fields: { name: 'Unicloud' } };
const UPDATE: VendorCommand = { type: 'UpdateVendor', changes: { name: 'U', owner_id: 'acc_1' }, reason: 'why' };
const rename = (name: string): VendorCommand => ({ type: 'UpdateVendor', changes: { name } });

/** Runs a command with an idempotency key, as the tools do. */
function execute(handler: CommandHandler, command: VendorCommand, key?: string, input: object = command) {
  return handler.execute(
    { stream: STREAM, decider: vendor },
    command,
    envelopeFor({ command_id: handler.commandId([ORGANIZATION, 't'], key), input }),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Refusal, String(error));
  return (error as Refusal).code;
}

test('a repeated command gets the first answer and appends nothing, also after a restart and on another instance', async (context) => {
  const writer = handlerOn(context.store);
  const stale = handlerOn(context.reopen());
  await execute(writer, ADD, 'add');
  await stale.load({ stream: STREAM, decider: vendor });
  const first = await execute(writer, UPDATE, 'update');
  await execute(writer, rename('Later'));
  const restarted = handlerOn(context.reopen());
  for (const handler of [writer, stale, restarted]) {
    const addResult = await execute(handler, ADD, 'add');
    assert.equal([addResult.repeated, addResult.revision, addResult.event_types], [true, 1, ['VendorAdded']]);
    const repeat = await execute(handler, UPDATE, 'update');
    assert.is(repeat.repeated, true);
    assert.is(repeat.revision, first.revision);
    assert.equal(repeat.event_types, ['VendorDetailsChanged', 'VendorOwnerAssigned']);
    assert.ok(
      context.store.compareStorePositions(repeat.storePosition!, first.storePosition!) >= 0,
      'and waitUntilProjected can wait for it',
    );
  }
  assert.is((await context.store.readStream(STREAM)).length, 4);
});

test('a repeated command is recognised before any other check', async ({ store }) => {
  const handler = handlerOn(store);
  await execute(handler, ADD, 'add');
  await execute(handler, UPDATE, 'update');
  await execute(handler, { type: 'Archive', reason: 'gone' });
  const repeat = await handler.execute(
    { stream: STREAM, decider: vendor },
    UPDATE,
    envelopeFor({ command_id: commandId([ORGANIZATION, 't'], 'update'), input: UPDATE, expected_revision: 1 }),
  );
  assert.equal([repeat.repeated, repeat.revision], [true, 3]);
  assert.ok(repeat.state!.archived_at, 'the record’s current state');
});

test('a repeated command id with another input is a conflict on every instance', async (context) => {
  const writer = handlerOn(context.store);
  const stale = handlerOn(context.reopen());
  await execute(writer, ADD, 'add');
  await stale.load({ stream: STREAM, decider: vendor });
  await execute(writer, UPDATE, 'update');
  for (const handler of [writer, stale, handlerOn(context.reopen())]) {
    assert.is(await codeOf(execute(handler, rename('X'), 'update')), 'idempotency_conflict');
    assert.is(await codeOf(execute(handler, UPDATE, 'update', { ...UPDATE, reason: 'other' })), 'idempotency_conflict');
  }
  assert.is((await context.store.readStream(STREAM)).length, 3);
});

test('a command that was refused or appended nothing is decided again', async ({ store }) => {
  const handler = handlerOn(store);
  assert.is(await codeOf(execute(handler, UPDATE, 'k')), 'not_found');
  await execute(handler, ADD, 'add');
  assert.equal((await execute(handler, rename('Unicloud'), 'k')).event_types, []);
  const done = await execute(handler, UPDATE, 'k');
  assert.equal([done.repeated, done.revision], [false, 3]);
});

test('a command sent to two instances at once adds one record', async (context) => {
  const handlers = [handlerOn(context.store), handlerOn(context.reopen())];
  for (let round = 0; round < 10; round++) {
    const command_id = commandId([ORGANIZATION, 'addVendor'], `round ${round}`);
    const stream = `vendor-${derivedId('vnd', command_id)}`;
    const outcomes = await Promise.all(
      [0, 1, 0, 1].map((n) =>
        handlers[n]!.execute({ stream, decider: vendor }, ADD, envelopeFor({ command_id, input: ADD })),
      ),
    );
    assert.is((await context.store.readStream(stream)).length, 1);
    assert.is(outcomes.filter(({ repeated }) => !repeated).length, 1);
    for (const { revision, event_types } of outcomes) assert.equal([revision, event_types], [1, ['VendorAdded']]);
  }
});

test('two inputs with one idempotency key at once: one succeeds, one is refused', async (context) => {
  const handlers = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(handlers[0]!, ADD);
  const outcomes = await Promise.allSettled([
    execute(handlers[0]!, rename('X'), 'k'),
    execute(handlers[1]!, rename('Y'), 'k'),
  ]);
  const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.equal(codes, ['idempotency_conflict']);
  assert.is((await context.store.readStream(STREAM)).length, 2);
});

test('a command id depends on organization, tool, record and key', ({ store }) => {
  const handler = handlerOn(store);
  const ids = [
    commandId(['org_1', 'addVendor'], 'k'),
    commandId(['org_2', 'addVendor'], 'k'),
    commandId(['org_1', 'addRisk'], 'k'),
    commandId(['org_1', 'addVendor'], 'K'),
    commandId(['org_1', 'addVendor', 'k'], ''),
    commandId(['org_1'], 'addVendor'),
    handler.commandId(['org_1', 'addVendor'], undefined),
    handler.commandId(['org_1', 'addVendor'], undefined),
  ];
  assert.is(new Set(ids).size, ids.length);
  assert.is(commandId(['org_1', 'addVendor'], 'k'), ids[0]);
});

test.run();
