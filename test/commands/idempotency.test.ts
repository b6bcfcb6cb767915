import * as assert from 'uvu/assert';
import type { CommandHandler } from '../../src/commands/handler.ts';
import { commandId, derivedId } from '../../src/commands/ids.ts';
import { Refusal } from '../../src/commands/refusal.ts';
import { type VendorCommand, vendor } from '../../src/commands/vendor.ts';
import { handlerOn, logSuite } from '../support/log-suite.ts';
import { envelopeFor, ORGANIZATION } from '../support/register.ts';
import { rejection } from '../support/take.ts';

const test = logSuite('a repeated command');

const STREAM = 'vendor-vnd_1';
const ADD: VendorCommand = { type: 'AddVendor', fields: { name: 'Unicloud' } };
const UPDATE: VendorCommand = { type: 'UpdateVendor', changes: { name: 'U', owner_id: 'acc_1' }, reason: 'why' };
const other = (name: string): VendorCommand => ({ type: 'UpdateVendor', changes: { name } });

/** Runs a command with an idempotency key, as the tools do. */
function execute(handler: CommandHandler, command: VendorCommand, key?: string, input: object = command) {
  return handler.execute(
    { stream: STREAM, decider: vendor },
    command,
    envelopeFor({ command_id: commandId([ORGANIZATION, 't'], key), input }),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Refusal, String(error));
  return (error as Refusal).code;
}

test('gets the first answer and appends nothing: here, after a restart, from another instance', async (context) => {
  const one = handlerOn(context.store);
  const stale = handlerOn(context.reopen());
  await execute(one, ADD, 'add');
  await stale.load({ stream: STREAM, decider: vendor });
  const first = await execute(one, UPDATE, 'update');
  await execute(one, other('Later'));
  const restarted = handlerOn(context.reopen());
  for (const handler of [one, stale, restarted]) {
    const added = await execute(handler, ADD, 'add');
    assert.equal([added.repeated, added.revision, added.event_types], [true, 1, ['VendorAdded']]);
    const again = await execute(handler, UPDATE, 'update');
    assert.is(again.repeated, true);
    assert.is(again.revision, first.revision);
    assert.equal(again.event_types, ['VendorDetailsChanged', 'VendorOwnerAssigned']);
    assert.ok(
      context.store.compareStorePositions(again.storePosition!, first.storePosition!) >= 0,
      'and can be waited for',
    );
  }
  assert.is((await context.store.readStream(STREAM)).length, 4);
});

test('is recognised before anything else is checked', async ({ store }) => {
  const handler = handlerOn(store);
  await execute(handler, ADD, 'add');
  await execute(handler, UPDATE, 'update');
  await execute(handler, { type: 'Archive', reason: 'gone' });
  const again = await handler.execute(
    { stream: STREAM, decider: vendor },
    UPDATE,
    envelopeFor({ command_id: commandId([ORGANIZATION, 't'], 'update'), input: UPDATE, expected_revision: 1 }),
  );
  assert.equal([again.repeated, again.revision], [true, 3]);
  assert.ok(again.state!.archived_at, 'the record as it is now');
});

test('with another input is a conflict, everywhere', async (context) => {
  const one = handlerOn(context.store);
  const stale = handlerOn(context.reopen());
  await execute(one, ADD, 'add');
  await stale.load({ stream: STREAM, decider: vendor });
  await execute(one, UPDATE, 'update');
  for (const handler of [one, stale, handlerOn(context.reopen())]) {
    assert.is(await codeOf(execute(handler, other('X'), 'update')), 'idempotency_conflict');
    assert.is(await codeOf(execute(handler, UPDATE, 'update', { ...UPDATE, reason: 'other' })), 'idempotency_conflict');
  }
  assert.is((await context.store.readStream(STREAM)).length, 3);
});

test('that appended nothing or was refused is decided again', async ({ store }) => {
  const handler = handlerOn(store);
  assert.is(await codeOf(execute(handler, UPDATE, 'k')), 'not_found');
  await execute(handler, ADD, 'add');
  assert.equal((await execute(handler, other('Unicloud'), 'k')).event_types, []);
  const done = await execute(handler, UPDATE, 'k');
  assert.equal([done.repeated, done.revision], [false, 3]);
});

test('given to two instances at once adds one record', async (context) => {
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

test('given twice at once with different inputs is done once and refused once', async (context) => {
  const handlers = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(handlers[0]!, ADD);
  const outcomes = await Promise.allSettled([
    execute(handlers[0]!, other('X'), 'k'),
    execute(handlers[1]!, other('Y'), 'k'),
  ]);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.equal(refused, ['idempotency_conflict']);
  assert.is((await context.store.readStream(STREAM)).length, 2);
});

test('is identified by organization, tool, record and key together', () => {
  const ids = [
    commandId(['org_1', 'addVendor'], 'k'),
    commandId(['org_2', 'addVendor'], 'k'),
    commandId(['org_1', 'addRisk'], 'k'),
    commandId(['org_1', 'addVendor'], 'K'),
    commandId(['org_1', 'addVendor', 'k'], ''),
    commandId(['org_1'], 'addVendor'),
    commandId(['org_1', 'addVendor'], undefined),
    commandId(['org_1', 'addVendor'], undefined),
  ];
  assert.is(new Set(ids).size, ids.length);
  assert.is(commandId(['org_1', 'addVendor'], 'k'), ids[0]);
});

test.run();
