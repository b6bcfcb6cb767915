import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorNeeded } from '../../../src/commands/engine/refusal.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { RevisionConflict, StoreRefused, StreamDamaged, TooLarge } from '../../../src/stores/errors.ts';
import { NO_STREAM } from '../../../src/stores/event-store.ts';
import { foreignEvent, type Log } from '../../support/fake-eventstoredb/log.ts';
import type { FakeUser } from '../../support/fake-eventstoredb/users.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { envelopeFor } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { type FakeContext, ids, withFake } from '../../support/stores/eventstoredb.ts';
import { handlerOn } from '../../support/stores/log-suite.ts';

/** Streams that an operator or another program changed, and the refusals of commands on them. */
const test = suite<FakeContext>('EventStoreDB streams changed by others');
withFake(test);

const pemPath = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));

const STREAM = 'vendor-vnd_1';
const AGGREGATE = { stream: STREAM, decider: vendor };
const ADD: VendorCommand = { type: 'AddVendor', fields: { name: 'Unicloud' } };
const update = (name: string): VendorCommand => ({ type: 'UpdateVendor', changes: { name } });

const CHANGES: [string, (log: Log) => void, RegExp][] = [
  ['was soft-deleted', (log) => log.softDelete(STREAM), /it was deleted/],
  ['was tombstoned', (log) => log.tombstone(STREAM), /it was deleted/],
  ['keeps one event only', (log) => log.setMetadata(STREAM, { $maxCount: 1 }), /revisions 0 to 1 are missing/],
  ['is truncated', (log) => log.setMetadata(STREAM, { $tb: 2n }), /revisions 0 to 1 are missing/],
  ['has only events that are too old', (log) => log.setMetadata(STREAM, { $maxAge: 60 }), /metadata hide its events/],
];

for (const [what, change, finding] of CHANGES) {
  test(`a command on a stream that ${what} is refused for good, also after a scavenge`, async ({
    fake,
    store,
    open,
  }) => {
    const writer = handlerOn(store);
    await writer.execute(AGGREGATE, ADD, envelopeFor());
    await writer.execute(AGGREGATE, update('B'), envelopeFor());
    await writer.execute(AGGREGATE, update('C'), envelopeFor());
    change(fake.log);
    for (const isScavenged of [false, true]) {
      if (isScavenged) fake.log.scavenge();
      const refusal = await rejection(handlerOn(open(fake.url)).execute(AGGREGATE, update('D'), envelopeFor()));
      if (!(refusal instanceof OperatorNeeded)) throw refusal;
      assert.is(refusal.retryable, false);
      assert.match(refusal.message, finding);
    }
  });
}

test('taking the metadata back before a scavenge mends the stream', async ({ fake, store, open }) => {
  await handlerOn(store).execute(AGGREGATE, ADD, envelopeFor());
  fake.log.setMetadata(STREAM, { $maxAge: 60 });
  assert.instance(
    await rejection(handlerOn(open(fake.url)).execute(AGGREGATE, update('B'), envelopeFor())),
    OperatorNeeded,
  );
  fake.log.setMetadata(STREAM, {});
  assert.is((await handlerOn(open(fake.url)).execute(AGGREGATE, update('B'), envelopeFor())).revision, 2);
});

test('a cached record whose stream was tombstoned is refused at the first append', async ({ fake, store }) => {
  const handler = handlerOn(store);
  await handler.execute(AGGREGATE, ADD, envelopeFor());
  fake.log.tombstone(STREAM);
  const refusal = await rejection(handler.execute(AGGREGATE, update('B'), envelopeFor()));
  if (!(refusal instanceof OperatorNeeded)) throw refusal;
  assert.instance(refusal.cause, StreamDamaged);
});

test('another program’s event in one of our streams is named at the first conflict', async ({ fake, store, open }) => {
  const handler = handlerOn(store);
  await handler.execute(AGGREGATE, ADD, envelopeFor());
  fake.log.append(STREAM, [foreignEvent('Happened')], 'any');
  for (const other of [handler, handlerOn(open(fake.url))]) {
    const { count } = fake.appends;
    const refusal = await rejection(other.execute(AGGREGATE, update('B'), envelopeFor()));
    if (!(refusal instanceof OperatorNeeded)) throw refusal;
    assert.match(refusal.message, /revision 1 is not veritrail's/);
    assert.is(fake.appends.count, count + 1);
  }
});

test('an append that begins a soft-deleted stream again is not acknowledged', async ({ fake, store }) => {
  await store.append(STREAM, makeEvents(STREAM, { count: 3 }), NO_STREAM);
  fake.log.softDelete(STREAM);
  const error = await rejection(store.append(STREAM, makeEvents(STREAM), NO_STREAM));
  assert.instance(error, StreamDamaged);
});

test('a plain conflict is still a conflict', async ({ store }) => {
  const events = makeEvents(STREAM, { count: 2 });
  await store.append(STREAM, events, NO_STREAM);
  const error = await rejection(store.append(STREAM, makeEvents(STREAM, { after: events[0] }), 0));
  assert.instance(error, RevisionConflict);
});

test('a user without the right to append is told so at once, and may again when it has the right', async ({
  start,
  open,
}) => {
  const user: FakeUser = { name: 'veritrail', password: 'secret', canReadAll: true };
  const fake = await start({
    user,
    tls: { certificate: readFileSync(pemPath('certificate')), key: readFileSync(pemPath('key')) },
  });
  const store = open(`${fake.url}&tlsCAFile=${encodeURIComponent(pemPath('certificate'))}`);
  await store.append(STREAM, makeEvents(STREAM), NO_STREAM);
  user.canAppend = false;
  const streams = Array.from({ length: 5 }, (_, index) => `vendor-${index}`);
  const append = (stream: string) => store.append(stream, makeEvents(stream), NO_STREAM);
  for (const failure of await Promise.all(streams.map((stream) => rejection(append(stream))))) {
    if (!(failure instanceof StoreRefused)) throw failure;
    assert.not(failure.ambiguous);
    assert.match(failure.message, /append to vendor-\d/);
  }
  user.canAppend = true;
  await Promise.all(streams.map(append));
});

test("an event over a newer server's limit is too large", async ({ start, open }) => {
  const fake = await start({ maxEventBytes: 500 });
  const events = makeEvents(STREAM, { data: { text: 'x'.repeat(1000) } });
  assert.instance(await rejection(open(fake.url).append(STREAM, events, NO_STREAM)), TooLarge);
});

test('the metadata of other streams change nothing', async ({ fake, store, open }) => {
  const events = makeEvents(STREAM, { count: 3 });
  await store.append(STREAM, events, NO_STREAM);
  fake.log.setMetadata('$all', {});
  fake.log.setMetadata('another-program', { $maxCount: 1 });
  fake.log.scavenge();
  assert.equal(ids(await open(fake.url).readStream(STREAM)), ids(events));
  assert.is(await store.explainAbsence('vendor-vnd_2'), null);
});

test.run();
