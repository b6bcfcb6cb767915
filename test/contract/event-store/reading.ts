import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { type EventStore, NO_STREAM, type StoredEvent } from '../../../src/stores/event-store.ts';
import { canonical } from '../../../src/trail/canonical.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { readable } from '../../support/histories/readable.ts';
import { rejection, take } from '../../support/run/take.ts';
import { appendAfter, asAppended, collect, drain, interleave, type Suite } from './context.ts';

/** Tests reads of streams, of the whole log, and positions. */
export function testReading(test: Suite): void {
  test('an absent stream is empty', async ({ store, name }) => {
    assert.equal(await store.readStream(name()), []);
    assert.equal(await store.readStream(name(), 5), []);
  });

  test('a stream is read from a revision', async ({ store, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 5 });
    await store.append(stream, events, NO_STREAM);
    assert.equal((await store.readStream(stream, 3)).map(asAppended), events.slice(3));
    assert.equal((await store.readStream(stream, 1, 2)).map(asAppended), events.slice(1, 3));
    assert.equal(await store.readStream(stream, 5), []);
    assert.equal(await store.readStream(stream, 50), []);
  });

  test('readAll returns all events in append order', async ({ store, name, all }) => {
    const events = await interleave(store, [name(), name(), name()]);
    const read = await all();
    assert.equal(read.map(asAppended), events);
    for (const [index, event] of read.entries()) {
      if (index > 0) assert.ok(store.compareStorePositions(read[index - 1]!.storePosition, event.storePosition) < 0);
    }
    const repeatedRead = await store.readStream(events[0]!.stream);
    assert.equal(
      repeatedRead,
      read.filter(({ stream }) => stream === events[0]!.stream),
    );
  });

  test('the texts of an event, if a store returns them, are those of its data and metadata', async ({
    store,
    name,
    all,
  }) => {
    await interleave(store, [name(), name()]);
    for (const { data, metadata, texts } of readable(await all())) {
      if (texts) assert.equal([texts.data, texts.metadata], [canonical(data), canonical(metadata)]);
    }
  });

  test('positions are exclusive', async ({ store, name, isOurs, all }) => {
    await interleave(store, [name(), name()]);
    const read = await all();
    for (const [index, { storePosition }] of read.entries()) {
      const remaining = (await collect(store.readAll(storePosition))).filter(isOurs);
      assert.equal(remaining, read.slice(index + 1));
    }
  });

  test('a long log is read completely, in batches', async ({ store, name, all }) => {
    const stream = name();
    let last: TrailEvent | undefined;
    for (let revision = -1; revision < 2399; revision += 200) {
      const batch = makeEvents(stream, { after: last, count: 200 });
      await store.append(stream, batch, revision);
      last = batch.at(-1);
    }
    const read = await all();
    assert.equal(
      read.map(({ revision }) => revision),
      Array.from({ length: 2400 }, (_, index) => index),
    );
    assert.is((await store.readStream(stream)).length, 2400);
  });

  test('head is the position of the newest event', async ({ store, reopen, name, start }) => {
    const stream = name();
    const storePosition = await store.append(stream, makeEvents(stream, { count: 2 }), NO_STREAM);
    assert.is((await store.head(null)).newest, storePosition);
    assert.is((await (await reopen()).head(null)).newest, storePosition);
    if (start !== null) assert.ok(store.compareStorePositions(start, storePosition) < 0);
    assert.equal(await collect(store.readAll(storePosition)), []);
  });

  test('positions compare like numbers', async ({ store, name, all }) => {
    await interleave(store, [name(), name()]);
    const storePositions = (await all()).map(({ storePosition }) => storePosition);
    const shuffled = [...storePositions].reverse().sort((a, b) => store.compareStorePositions(a, b));
    assert.equal(shuffled, storePositions);
    assert.is(store.compareStorePositions(storePositions[0]!, storePositions[0]!), 0);
    assert.ok(store.compareStorePositions(storePositions[1]!, storePositions[0]!) > 0);
  });

  test('another process sees the same log', async ({ store, reopen, name, all }) => {
    const events = await interleave(store, [name(), name()]);
    const other = await reopen();
    assert.equal(await all(other), await all());
    const stream = events.at(-1)!.stream;
    const storePosition = await other.append(stream, makeEvents(stream, { after: events.at(-1) }), 3);
    assert.is((await all()).at(-1)!.storePosition, storePosition);
  });
}

/** Tests subscriptions. */
export function subscribing(test: Suite): void {
  test('a subscription yields the events of readAll, then new ones', async ({ store, name, start, isOurs, all }) => {
    const streams = [name(), name()];
    const events = await interleave(store, streams);
    const earlySubscription = take((signal) => store.subscribeAll(start, signal), events.length * 2, isOurs);
    const laterEvents = await interleave(store, [name(), name()]);
    const received = await earlySubscription;
    assert.equal(received, await all());
    assert.equal(received.map(asAppended), [...events, ...laterEvents]);
  });

  test('a subscription starts after its position', async ({ store, name, isOurs, all }) => {
    await interleave(store, [name(), name()]);
    const read = await all();
    const remaining = await take(
      (signal) => store.subscribeAll(read[2]!.storePosition, signal),
      read.length - 3,
      isOurs,
    );
    assert.equal(remaining, read.slice(3));
  });

  test('a subscription yields events of other writers, each once', async ({
    store,
    reopen,
    name,
    start,
    isOurs,
    all,
  }) => {
    const other = await reopen();
    const subscribed = take((signal) => store.subscribeAll(start, signal), 200, isOurs);
    const write = async (writer: EventStore) => {
      const stream = name();
      let last: TrailEvent | undefined;
      for (let index = 0; index < 50; index += 1) last = await appendAfter(writer, stream, last);
    };
    await Promise.all([write(store), write(other), write(other), write(store)]);
    assert.equal(await subscribed, await all());
  });

  test('a slow subscriber gets all waiting events', async ({ store, name, start, isOurs, all }) => {
    const stop = new AbortController();
    const received: StoredEvent[] = [];
    const stream = name();
    let last = await appendAfter(store, stream, undefined);
    for await (const batch of store.subscribeAll(start, stop.signal)) {
      received.push(...batch.filter(isOurs));
      if (received.length >= 30) break;
      if (last.revision < 29) last = await appendAfter(store, stream, last);
    }
    assert.equal(received, await all());
  });

  test('an aborted signal ends its own subscription only', async ({ store, name, start, isOurs }) => {
    const stop = new AbortController();
    const draining = drain(store.subscribeAll(start, stop.signal));
    const other = take((signal) => store.subscribeAll(start, signal), 1, isOurs);
    stop.abort();
    await draining;
    const stream = name();
    await store.append(stream, makeEvents(stream), NO_STREAM);
    assert.is((await other).length, 1);
    await drain(store.subscribeAll(start, AbortSignal.abort()));
  });
}

/** Tests closing a store. */
export function closing(test: Suite): void {
  test('closing ends subscriptions', async ({ store, reopen, name, start }) => {
    const stream = name();
    await store.append(stream, makeEvents(stream), NO_STREAM);
    const other = await reopen();
    const waiting = drain(other.subscribeAll(start, new AbortController().signal));
    await other.close();
    await waiting;
    assert.is((await store.readStream(stream)).length, 1);
  });

  test('closing waits for current calls', async ({ store, reopen, name }) => {
    const other = await reopen();
    const streams = Array.from({ length: 10 }, name);
    const appends = streams.map((stream) => other.append(stream, makeEvents(stream), NO_STREAM));
    await other.close();
    await Promise.all(appends);
    for (const stream of streams) assert.is((await store.readStream(stream)).length, 1);
  });

  test('a closed store is unavailable', async ({ reopen, name }) => {
    const other = await reopen();
    await other.close();
    const stream = name();
    assert.instance(await rejection(other.append(stream, makeEvents(stream), NO_STREAM)), StoreUnavailable);
    assert.instance(await rejection(other.readStream(stream)), StoreUnavailable);
  });
}
