import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreReplaced } from '../../../src/stores/errors.ts';
import { type EventStore, NO_STREAM } from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { Log } from '../../support/fake-eventstoredb/log.ts';
import type { FakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take, untilTrue } from '../../support/run/take.ts';
import { type FakeContext, ids, retryUnavailable, withFake } from '../../support/stores/eventstoredb.ts';

/** A server that comes back with another log: nothing is acknowledged on it. */
const test = suite<FakeContext>('EventStoreDB with another log');
withFake(test);

async function fill(store: EventStore, count = 3): Promise<TrailEvent[]> {
  const all: TrailEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const events = makeEvents(`vendor-${index}`, { count: 2 });
    await store.append(`vendor-${index}`, events, NO_STREAM);
    all.push(...events);
  }
  return all;
}

/** Returns the log with another event in the place of the newest. */
function diverged(log: Log): Log {
  const copy = log.copy(log.records.length - 1);
  const last = log.records.at(-1)!;
  copy.append(last.stream, [{ ...last, id: crypto.randomUUID() }], 'any');
  return copy;
}

const OTHERS: [string, (log: Log) => Log][] = [
  ['an older copy', (log) => log.copy(log.records.length - 1)],
  ['an empty log', () => new Log(0n)],
  ['a copy that went another way', diverged],
];

/** Ways in which the process learns of the newest event. */
const WITNESSES: [string, (store: EventStore) => Promise<unknown>][] = [
  ['wrote', async () => undefined],
  ['asked for the end of', (store) => store.head(null)],
  ['read a stream of', (store) => store.readStream('vendor-2')],
  ['read all of', (store) => take(() => store.readAll(null), 6)],
  ['subscribed to', (store) => take((signal) => store.subscribeAll(null, signal), 6)],
];

for (const [what, other] of OTHERS) {
  for (const [how, witness] of WITNESSES) {
    test(`${what} under a process that ${how} the log is refused before a write, until the log is back`, async ({
      fake,
      store,
      start,
      open,
    }) => {
      const observer = how === 'wrote' ? store : open(fake.url);
      const written = await fill(store);
      await witness(observer);
      await fake.close();
      const replaced = await start({ port: fake.port, log: other(fake.log) });
      const { length } = replaced.log.records;
      const event = makeEvents('vendor-9');
      const write = () => observer.append('vendor-9', event, NO_STREAM);
      const error = await rejection(retryUnavailable(write));
      assert.instance(error, StoreReplaced);
      assert.match((error as Error).message, /lacks the newest event that the service has seen/);
      // At once from now on, for reads too: they would answer from the other log.
      const startedAt = performance.now();
      assert.instance(await rejection(write()), StoreReplaced);
      assert.instance(await rejection(observer.readStream('vendor-0')), StoreReplaced);
      assert.instance(await rejection(observer.check()), StoreReplaced);
      assert.ok(performance.now() - startedAt < 500);
      assert.is(replaced.log.records.length, length);
      await replaced.close();
      await start({ port: fake.port, log: fake.log });
      await untilTrue(() =>
        observer.check().then(
          () => true,
          () => false,
        ),
      );
      await write();
      assert.equal(ids(await take(() => observer.readAll(null), 7)), ids([...written, ...event]));
    });
  }
}

test('the same log after a restart is used at once', async ({ fake, store, start }) => {
  await fill(store);
  for (let restart = 0; restart < 3; restart += 1) {
    await fake.close();
    const again: FakeEventStoreDb = await start({ port: fake.port, log: fake.log });
    await retryUnavailable(() => store.append(`risk-${restart}`, makeEvents(`risk-${restart}`), NO_STREAM));
    await again.close();
  }
});

test('a stream that was deleted, with the newest event in it, is not taken for another log', async ({
  fake,
  store,
  start,
}) => {
  await fill(store);
  for (const [index, remove] of ([fake.log.softDelete, fake.log.tombstone] as const).entries()) {
    remove.call(fake.log, `vendor-${2 - index}`);
    fake.log.scavenge();
    await fake.close();
    const again = await start({ port: fake.port, log: fake.log });
    await retryUnavailable(() => store.append(`vendor-${7 + index}`, makeEvents(`vendor-${7 + index}`), NO_STREAM));
    await again.close();
  }
});

test('a leader that shows the newest event only after a while is waited for', async ({ fake, store, start }) => {
  await fill(store);
  await fake.close();
  const behind = fake.log.copy(fake.log.records.length - 1);
  const again = await start({ port: fake.port, log: behind });
  const event = makeEvents('vendor-9');
  const append = retryUnavailable(() => store.append('vendor-9', event, NO_STREAM));
  await untilTrue(() => again.connections() > 0);
  behind.append('vendor-2', fake.log.records.slice(-1), 'any');
  await append;
  assert.is(behind.stream('vendor-9')!.length, 1);
});

test('an append that gets a place before the newest event is not acknowledged', async ({ fake, store }) => {
  await fill(store);
  // As behind a proxy that keeps the connection open.
  fake.log.becomeEmpty();
  const write = (stream: string) => store.append(stream, makeEvents(stream), NO_STREAM);
  const error = await rejection(retryUnavailable(() => write(`vendor-${Math.random()}`)));
  assert.instance(error, StoreReplaced);
});

test('a repeated append is acknowledged at its old place', async ({ store }) => {
  const events = makeEvents('vendor-1');
  const storePosition = await store.append('vendor-1', events, NO_STREAM);
  await store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM);
  assert.is(await store.append('vendor-1', events, NO_STREAM), storePosition);
});

test.run();
