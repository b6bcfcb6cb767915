import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_STREAM } from '../../../src/stores/event-store.ts';
import { foreignEvent } from '../../support/fake-eventstoredb/log.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { take, untilTrue } from '../../support/run/take.ts';
import { type FakeContext, withFake } from '../../support/stores/eventstoredb.ts';

const FOREIGN_EVENTS = 2_000;

const test = suite<FakeContext>('the end of an EventStoreDB that other programs use');
withFake(test);

test('is read back no further than asked, and the store is checked by one event', async ({ fake, store }) => {
  const ours = await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  for (let n = 0; n < FOREIGN_EVENTS; n++) fake.log.append('other', [foreignEvent('Happened')], 'any');
  /** Runs a call and returns the number of events that the server sent. */
  const eventsSentBy = async (call: () => Promise<unknown>) => {
    const before = fake.faults.deliveredCount;
    await call();
    return fake.faults.deliveredCount - before;
  };
  const head = await store.head(ours);
  const end = await store.end();
  assert.equal(head, { newest: null, end });
  assert.ok(store.compareStorePositions(ours, end) < 0);
  assert.ok((await eventsSentBy(() => store.head(ours))) >= FOREIGN_EVENTS);
  // The server sends some more before it learns that nobody reads on.
  assert.ok((await eventsSentBy(() => store.head(end))) < 100);
  assert.is(await eventsSentBy(() => store.end()), 1);
  assert.is(await eventsSentBy(() => store.check()), 1);
  assert.is((await store.head(null)).newest, ours);
  const later = await store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM);
  fake.log.append('other', [foreignEvent('Happened')], 'any');
  const moved = await store.head(end);
  assert.is(moved.newest, later);
  assert.ok(store.compareStorePositions(later, moved.end) < 0);
});

test('is not passed again by a subscription that starts anew', async ({ fake, store }) => {
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  const subscribed = take((signal) => store.subscribeAll(null, signal), 2);
  await untilTrue(() => fake.faults.subscribers === 1);
  for (let n = 0; n < 100; n++) fake.log.append('other', [foreignEvent('Happened')], 'any');
  const { position } = fake.log.records.at(-1)!;
  // Each new subscription begins where the one before got to, and so the last one after all of them.
  const starts = fake.faults.subscribedAfter;
  for (let end = 0; end < 20 && starts.at(-1) !== position; end++) {
    const { length } = starts;
    fake.faults.endSubscriptions();
    await untilTrue(() => starts.length > length);
    await store.end();
  }
  await store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM);
  assert.is((await subscribed).length, 2);
  assert.is(starts.at(-1), position);
});

test.run();
