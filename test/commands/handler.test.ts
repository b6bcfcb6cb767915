import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/handler.ts';
import { Refusal } from '../../src/commands/refusal.ts';
import { type VendorCommand, vendor } from '../../src/commands/vendor.ts';
import { verifyChain } from '../../src/trail/chain.ts';
import { saltedHash } from '../../src/trail/hash.ts';
import { handlerOn, logSuite } from '../support/log-suite.ts';
import { envelopeFor, ORGANIZATION, OWNER } from '../support/register.ts';
import { rejection } from '../support/take.ts';

const test = logSuite('the command handler');

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

test('chains events from the first one on, with actor, command and input hash', async ({ store }) => {
  const handler = handlerOn(store);
  const added = await execute(handler, add(), {
    command_id: '11111111-1111-4111-8111-111111111111',
    isNewStream: true,
  });
  assert.equal([added.revision, added.event_types, added.repeated], [1, ['VendorAdded'], false]);
  const both: VendorCommand = { type: 'UpdateVendor', changes: { name: 'U', owner_id: OWNER } };
  const updated = await execute(handler, both);
  assert.equal(updated.event_types, ['VendorDetailsChanged', 'VendorOwnerAssigned']);
  assert.is(updated.revision, 3);
  const events = await store.readStream(STREAM);
  assert.is(verifyChain(events), null);
  assert.is(events.length, 3);
  assert.is(store.compareStorePositions(updated.storePosition!, events[2]!.storePosition), 0);
  const { metadata } = events[0]!;
  assert.is(metadata.organization_id, ORGANIZATION);
  assert.is(metadata.actor_id, OWNER);
  assert.equal(metadata.client, { name: 'test', version: '1' });
  assert.is(metadata.command_id, '11111111-1111-4111-8111-111111111111');
  assert.is(metadata.input_hash, saltedHash(metadata.salt, add()));
  assert.is(metadata.schema_version, 1);
  assert.is(metadata.previous_hash, null);
  assert.not('simulated' in metadata);
  assert.is(new Set(events.map((event) => event.metadata.salt)).size, 3);
});

test('marks events as simulated under another clock', async ({ store }) => {
  const now = () => new Date('2025-01-02T03:04:05.678Z');
  await execute(new CommandHandler(store, { now, maxAcceptanceDays: 1, simulated: true }), add());
  const { metadata } = (await store.readStream(STREAM))[0]!;
  assert.equal([metadata.recorded_at, metadata.simulated], ['2025-01-02T03:04:05.678Z', true]);
});

test('writes nothing if nothing changes, and nothing when rehearsing', async ({ store }) => {
  const handler = handlerOn(store);
  await handler.rehearse({ stream: STREAM, decider: vendor }, add(), envelopeFor());
  assert.equal(await store.readStream(STREAM), []);
  const added = await execute(handler, add());
  const same = await execute(handler, rename('Unicloud'));
  assert.equal([same.revision, same.event_types, same.repeated], [1, [], false]);
  assert.is(same.storePosition, added.storePosition, 'what it rests on');
  assert.is(
    (await refusal(handler.rehearse({ stream: STREAM, decider: vendor }, add(), envelopeFor()))).code,
    'conflict',
  );
  assert.is((await store.readStream(STREAM)).length, 1);
});

test('refuses an outdated revision, and returns the current one', async (context) => {
  const [one, two] = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(one, add());
  await execute(two, rename('B'), { expected_revision: 1 });
  for (const handler of [one, two]) {
    for (const expected_revision of [1, 3]) {
      const refused = await refusal(execute(handler, rename('C'), { expected_revision }));
      assert.equal([refused.code, refused.more.current_revision, refused.retryable], ['conflict', 2, false]);
    }
  }
  assert.is((await execute(one, rename('C'), { expected_revision: 2 })).revision, 3);
});

test('does not reveal a record of another organization', async ({ store }) => {
  const handler = handlerOn(store);
  await execute(handler, add());
  const refused = await refusal(execute(handler, rename('X'), { organization_id: 'org_OTHER' }));
  assert.is(refused.code, 'not_found');
  assert.is(
    (await refusal(execute(handlerOn(store), rename('X'), { organization_id: 'org_OTHER' }))).code,
    'not_found',
  );
});

test('lets 64 writers change one record at once: each succeeds or gets a conflict', async (context) => {
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
  assert.is(new Set(revisions).size, revisions.length, 'each has a revision of its own');
  const events = await context.store.readStream(STREAM);
  assert.is(events.length, 1 + revisions.length);
  assert.is(verifyChain(events), null);
  const { state } = await handlers[0]!.load({ stream: STREAM, decider: vendor }, true);
  assert.is(state!.name, (events.at(-1)!.data as { changes: { name: string } }).changes.name);
});

test('decides a refusal or no change on fresh state, not on the cached one', async (context) => {
  const [one, two] = [handlerOn(context.store), handlerOn(context.reopen())];
  await execute(one, add('A'));
  await execute(one, { type: 'Archive', reason: 'gone' });
  await execute(two, { type: 'Restore', reason: 'back' });
  assert.equal((await execute(one, rename('B'))).event_types, ['VendorDetailsChanged']);
  await execute(two, rename('C'));
  const back = await execute(one, rename('B'));
  assert.equal([back.event_types, back.revision], [['VendorDetailsChanged'], 6]);
  await execute(two, { type: 'Archive', reason: 'gone' });
  assert.is((await refusal(execute(one, rename('D')))).code, 'invalid_transition');
});

test('refuses an event that is too large for any store as the caller’s error', async ({ store }) => {
  const description = 'x'.repeat(1_000_000);
  const huge: VendorCommand = { type: 'AddVendor', fields: { name: 'U', description } };
  assert.is((await refusal(execute(handlerOn(store), huge))).code, 'too_large');
});

test.run();
