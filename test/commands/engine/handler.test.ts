import * as assert from 'uvu/assert';
import { monotonicMs } from '../../../src/clock/monotonic.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { saltedHash, verifyChain } from '../../../src/trail/index.ts';
import { readable } from '../../support/histories/readable.ts';
import { envelopeFor, ORGANIZATION, OWNER } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { handlerOn, logSuite } from '../../support/stores/log-suite.ts';
import { withOverrides } from '../../support/with-overrides.ts';

const test = logSuite('command handler');

const STREAM = 'vendor-vnd_1';

const add = (name = 'Unicloud'): VendorCommand => ({ type: 'AddVendor', fields: { name } });
const rename = (name: string): VendorCommand => ({ type: 'UpdateVendor', changes: { name } });

function execute(handler: CommandHandler, command: VendorCommand, changes: Parameters<typeof envelopeFor>[0] = {}) {
  return handler.execute({ stream: STREAM, decider: vendor }, command, envelopeFor({ input: command, ...changes }));
}

async function refusal(promise: Promise<unknown>): Promise<Refusal> {
  const error = await rejection(promise);
  assert.instance(error, Refusal, String(error));
  return error as Refusal;
}

test('the command handler chains events from the first one on, with actor, command and input hash', async ({
  store,
}) => {
  const handler = handlerOn(store);
  const addResult = await execute(handler, add(), {
    command_id: '11111111-1111-4111-8111-111111111111',
    isPresumedNew: true,
  });
  assert.equal([addResult.revision, addResult.event_types, addResult.repeated], [1, ['VendorAdded'], false]);
  const updateBoth: VendorCommand = { type: 'UpdateVendor', changes: { name: 'U', owner_id: OWNER } };
  const updated = await execute(handler, updateBoth);
  assert.equal(updated.event_types, ['VendorDetailsChanged', 'VendorOwnerAssigned']);
  assert.is(updated.revision, 3);
  const events = await store.readStream(STREAM);
  assert.is(verifyChain(readable(events)), null);
  assert.is(events.length, 3);
  assert.is(store.compareStorePositions(updated.storePosition!, events[2]!.storePosition), 0);
  const { metadata } = events[0]!;
  assert.is(metadata.organization_id, ORGANIZATION);
  assert.is(metadata.actor_id, OWNER);
  assert.equal(metadata.client, { name: 'test', version: '1' });
  assert.is(metadata.command_id, '11111111-1111-4111-8111-111111111111');
  assert.is(metadata.input_hash, saltedHash(metadata.salt, add()));
  assert.is(metadata.schema_version, 2);
  assert.is(metadata.previous_hash, null);
  assert.not('simulated' in metadata);
  assert.is(new Set(events.map((event) => event.metadata.salt)).size, 3);
});

test('the command handler marks events as simulated under another clock', async ({ store }) => {
  const now = () => new Date('2025-01-02T03:04:05.678Z');
  await execute(new CommandHandler(store, { now, maxAcceptanceDays: 1, simulated: true }), add());
  const { metadata } = (await store.readStream(STREAM))[0]!;
  assert.equal([metadata.recorded_at, metadata.simulated], ['2025-01-02T03:04:05.678Z', true]);
});

test('the command handler appends nothing if nothing changes, and nothing when rehearsing', async ({ store }) => {
  const handler = handlerOn(store);
  await handler.rehearse({ stream: STREAM, decider: vendor }, add(), envelopeFor());
  assert.equal(await store.readStream(STREAM), []);
  const addResult = await execute(handler, add());
  const unchanged = await execute(handler, rename('Unicloud'));
  assert.equal([unchanged.revision, unchanged.event_types, unchanged.repeated], [1, [], false]);
  assert.is(unchanged.storePosition, addResult.storePosition, 'the state that it was decided on');
  assert.is(
    (await refusal(handler.rehearse({ stream: STREAM, decider: vendor }, add(), envelopeFor()))).code,
    'conflict',
  );
  assert.is((await store.readStream(STREAM)).length, 1);
});

test('300 writers of one record have no conflicts', async ({ store }) => {
  let appends = 0;
  const counting = withOverrides(store, {
    append: (...args) => {
      appends += 1;
      return store.append(...args);
    },
  });
  const handler = handlerOn(counting);
  await execute(handler, add());
  const names = Array.from({ length: 300 }, (_, index) => `Name ${index}`);
  const results = await Promise.all(names.map((name) => execute(handler, rename(name))));
  assert.equal(
    results.map(({ revision }) => revision),
    names.map((_, index) => index + 2),
    'in the order of their calls',
  );
  assert.is(appends, 301, 'none was tried twice');
  assert.is(verifyChain(readable(await store.readStream(STREAM))), null);
});

test('a writer that never ends holds up only its own record, and its followers until their deadline', async ({
  store,
}) => {
  const appended: string[] = [];
  const stuck = withOverrides(store, {
    append: (stream, ...rest) => {
      appended.push(stream);
      return stream === STREAM ? new Promise(() => undefined) : store.append(stream, ...rest);
    },
  });
  const handler = handlerOn(stuck);
  const deadline = monotonicMs() + 100;
  const waiting = [add('A'), add('B'), add('C')].map((command) => refusal(execute(handler, command, { deadline })));
  const other = await handler.execute({ stream: 'vendor-vnd_2', decider: vendor }, add(), envelopeFor());
  assert.is(other.revision, 1);
  assert.equal(
    (await Promise.all(waiting)).map(({ code }) => code),
    ['unavailable', 'unavailable', 'unavailable'],
  );
  assert.equal(appended, [STREAM, 'vendor-vnd_2'], 'those that waited in vain append nothing');
});

test('the command handler refuses an outdated revision, and returns the current one', async (context) => {
  const [first, second] = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(first, add());
  await execute(second, rename('B'), { expected_revision: 1 });
  for (const handler of [first, second]) {
    for (const expected_revision of [1, 3]) {
      const conflict = await refusal(execute(handler, rename('C'), { expected_revision }));
      assert.equal([conflict.code, conflict.more.current_revision, conflict.retryable], ['conflict', 2, false]);
    }
  }
  assert.is((await execute(first, rename('C'), { expected_revision: 2 })).revision, 3);
});

test('the command handler does not reveal a record of another organization', async ({ store }) => {
  const handler = handlerOn(store);
  await execute(handler, add());
  const conflict = await refusal(execute(handler, rename('X'), { organization_id: 'org_OTHER' }));
  assert.is(conflict.code, 'not_found');
  assert.is(
    (await refusal(execute(handlerOn(store), rename('X'), { organization_id: 'org_OTHER' }))).code,
    'not_found',
  );
});

test('a record presumed new is added without a read, and a repeat elsewhere finds it', async (context) => {
  const [first, second] = [handlerOn(context.store), handlerOn(context.reopen())];
  const read = context.store.readStream.bind(context.store);
  let reads = 0;
  context.store.readStream = (...args) => {
    reads += 1;
    return read(...args);
  };
  const command_id = '11111111-1111-4111-8111-111111111111';
  const presumed = { command_id, isPresumedNew: true };
  assert.is((await execute(first, add(), presumed)).revision, 1);
  assert.is(reads, 0);
  await execute(first, rename('B'));
  for (const handler of [first, second]) {
    const { repeated, revision, event_types } = await execute(handler, add(), presumed);
    assert.equal([repeated, revision, event_types], [true, 1, ['VendorAdded']]);
  }
  for (const handler of [first, handlerOn(context.reopen())]) {
    assert.is((await refusal(execute(handler, add('Other'), presumed))).code, 'idempotency_conflict');
  }
  assert.is((await read(STREAM)).length, 2);
});

test('a wrong presumption refuses nothing that fresh state would not refuse', async (context) => {
  const command_id = '11111111-1111-4111-8111-111111111111';
  await execute(handlerOn(context.store), add(), { command_id });
  const presumed = { command_id, isPresumedNew: true };
  const refusing: VendorCommand = { type: 'AddVendor', fields: { name: 'U', last_reviewed: '2999-01-01' } };
  const unreadable = () =>
    new CommandHandler(context.store, { now: () => new Date(), maxAcceptanceDays: 1, canRead: () => false });
  const aggregate = { stream: STREAM, decider: vendor };
  assert.is((await execute(unreadable(), add(), presumed)).repeated, true);
  assert.is((await execute(handlerOn(context.store), refusing, { ...presumed, input: add() })).repeated, true);
  const envelope = envelopeFor({ ...presumed, input: add() });
  const rehearsal = await handlerOn(context.store).rehearse(aggregate, refusing, envelope);
  assert.equal([rehearsal.repeated, rehearsal.isNewRecord], [true, false]);
  const other = await refusal(execute(handlerOn(context.store), add(), { isPresumedNew: true }));
  assert.is(other.code, 'conflict');
  const elsewhere = { ...presumed, organization_id: 'org_OTHER' };
  assert.is((await refusal(execute(handlerOn(context.store), add(), elsewhere))).code, 'not_found');
});

test('64 concurrent writers of one record each succeed or get a conflict', async (context) => {
  const handlers = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(handlers[0]!, add());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 64 }, (_, index) => execute(handlers[index % 2]!, rename(`Name ${index}`))),
  );
  const revisions = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value.revision] : []));
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    assert.instance(outcome.reason, Refusal);
    assert.equal([outcome.reason.code, outcome.reason.retryable], ['conflict', true]);
  }
  assert.ok(revisions.length > 0);
  assert.is(new Set(revisions).size, revisions.length, 'no two have the same revision');
  const events = await context.store.readStream(STREAM);
  assert.is(events.length, 1 + revisions.length);
  assert.is(verifyChain(readable(events)), null);
  const { state } = await handlers[0]!.load({ stream: STREAM, decider: vendor }, true);
  assert.is(state!.name, (events.at(-1)!.data as { changes: { name: string } }).changes.name);
});

test('the command handler confirms a refusal or no change on fresh state', async (context) => {
  const [first, second] = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(first, add('A'));
  await execute(first, { type: 'Archive', reason: 'gone' });
  await execute(second, { type: 'Restore', reason: 'back' });
  assert.equal((await execute(first, rename('B'))).event_types, ['VendorDetailsChanged']);
  await execute(second, rename('C'));
  const conflict = await execute(first, rename('B'));
  assert.equal([conflict.event_types, conflict.revision], [['VendorDetailsChanged'], 6]);
  await execute(second, { type: 'Archive', reason: 'gone' });
  assert.is((await refusal(execute(first, rename('D')))).code, 'invalid_transition');
});

test('the command handler refuses an event too large for any store with too_large', async ({ store }) => {
  const description = 'x'.repeat(1_000_000);
  const huge: VendorCommand = { type: 'AddVendor', fields: { name: 'U', description } };
  assert.is((await refusal(execute(handlerOn(store), huge))).code, 'too_large');
});

test.run();
