import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredEvent } from '../../../src/stores/event-store.ts';
import { NO_STREAM } from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { addForeignEvents, foreignEvent } from '../../support/fake-eventstoredb/log.ts';
import type { FakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take, untilSettled, untilTrue } from '../../support/run/take.ts';
import {
  assertUnavailable,
  type FakeContext,
  ids,
  retryUnavailable,
  SHORT_DEADLINES,
  withFake,
} from '../../support/stores/eventstoredb.ts';

/** The client's subscriptions end after one error, or silently. The adapter's continue. */
const test = suite<FakeContext>('EventStoreDB subscriptions with faults');
withFake(test);

const DROPS: Record<string, (fake: FakeEventStoreDb) => void> = {
  'ends properly': ({ faults }) => faults.endSubscriptions(),
  'breaks with an error': ({ faults }) => faults.breakSubscriptions(),
  'loses its connection': (fake) => fake.cutConnections(),
  'starts too early on the server': ({ faults }) => {
    faults.redeliver = 5;
    faults.endSubscriptions();
  },
  'is refused at first': ({ faults }) => {
    faults.subscriptions.push('break', 'break');
    faults.breakSubscriptions();
  },
  'is not answered at first': ({ faults }) => {
    faults.subscriptions.push('never-answer');
    faults.endSubscriptions();
  },
};

for (const [what, drop] of Object.entries(DROPS)) {
  test(`a subscription that ${what} continues without a gap or a repeat`, async ({ fake, store, open }) => {
    const impatientStore = open(fake.url, SHORT_DEADLINES);
    const subscribed = take((signal) => impatientStore.subscribeAll(null, signal), 30);
    const appended: TrailEvent[] = [];
    for (let index = 0; index < 30; index += 1) {
      const events = makeEvents(`vendor-${index}`);
      appended.push(...events);
      await retryUnavailable(() => store.append(`vendor-${index}`, events, NO_STREAM));
      if (index === 10 || index === 20) {
        await untilTrue(() => fake.faults.subscribers === 1);
        drop(fake);
      }
    }
    assert.equal(ids(await subscribed), ids(appended));
    assert.ok(fake.faults.subscribedAfter.length >= 3);
  });
}

test('a subscription continues after the last yielded event, not at a checkpoint', async ({ fake, store }) => {
  const first = makeEvents('vendor-1');
  const position = await store.append('vendor-1', first, NO_STREAM);
  const stop = new AbortController();
  const events = store.subscribeAll(null, stop.signal)[Symbol.asyncIterator]();
  assert.equal(ids((await events.next()).value), ids(first));
  for (let index = 0; index < 200; index += 1) addForeignEvents(fake.log);
  const next = events.next();
  fake.faults.endSubscriptions();
  await untilTrue(() => fake.faults.subscribedAfter.length === 2);
  assert.is(`${fake.faults.subscribedAfter[1]}`, position.split('/')[0]);
  const second = makeEvents('vendor-2');
  await store.append('vendor-2', second, NO_STREAM);
  assert.equal(ids((await next).value), ids(second));
  stop.abort();
});

test('a burst that ends the subscription is read from the log, without a probe of the node', async ({
  fake,
  store,
}) => {
  const stop = new AbortController();
  const received: StoredEvent[] = [];
  const reading = (async () => {
    for await (const events of store.subscribeAll(null, stop.signal)) received.push(...events);
  })();
  await untilTrue(() => fake.faults.subscribers === 1);
  const { probeCount } = fake.faults;
  const appended: TrailEvent[] = [];
  for (let index = 0; fake.faults.subscribedAfter.length < 5; index += 1) {
    assert.ok(index < 100, 'no burst ended the subscription');
    const events = makeEvents(`vendor-${index}`, { count: 33 });
    await store.append(`vendor-${index}`, events, NO_STREAM);
    appended.push(...events);
    await untilTrue(() => received.length === appended.length);
  }
  stop.abort();
  await reading;
  assert.equal(ids(received), ids(appended));
  assert.is(fake.faults.probeCount, probeCount);
});

test('a subscription outlives its server', async ({ fake, store, start }) => {
  const events = Array.from({ length: 4 }, (_, index) => makeEvents(`vendor-${index}`)[0]!);
  const append = (event: TrailEvent) => retryUnavailable(() => store.append(event.stream, [event], NO_STREAM));
  const subscribed = take((signal) => store.subscribeAll(null, signal), 4);
  await append(events[0]!);
  await append(events[1]!);
  await fake.close();
  assertUnavailable(await rejection(store.append('vendor-2', [events[2]!], NO_STREAM)));
  await start({ port: fake.port, log: fake.log });
  await append(events[2]!);
  await append(events[3]!);
  assert.equal(ids(await subscribed), ids(events));
});

test('a slow subscriber pauses the server and gets every event', async ({ fake, store }) => {
  const batch = makeEvents('vendor-1', { count: 1000 }).map(asProposed);
  for (let index = 0; index < 4; index += 1) fake.log.append(`vendor-${index}`, batch, 'any');
  let deliveredCount = 0;
  for await (const events of store.subscribeAll(null, new AbortController().signal)) {
    if (deliveredCount === 0) await untilSettled(() => fake.faults.deliveredCount);
    assert.ok(deliveredCount > 0 || fake.faults.deliveredCount < 3500);
    deliveredCount += events.length;
    if (deliveredCount === 4000) break;
  }
});

test('a subscription that has ended leaves no call open', async ({ fake, store }) => {
  const stop = new AbortController();
  const aborted = take(() => store.subscribeAll(null, stop.signal), 1).catch(() => 'ended');
  await untilTrue(() => fake.faults.subscribers === 1);
  stop.abort();
  assert.is(await aborted, 'ended');
  await untilTrue(() => fake.faults.subscribers === 0);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  for await (const _ of store.subscribeAll(null, new AbortController().signal)) break;
  await untilTrue(() => fake.faults.subscribers === 0);
});

test.run();

function asProposed(event: TrailEvent) {
  return {
    ...foreignEvent(event.type),
    data: Buffer.from(JSON.stringify(event.data)),
    metadata: Buffer.from(JSON.stringify(event.metadata)),
  };
}
