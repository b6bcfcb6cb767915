import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionConflict, StoreUnavailable, TooLarge } from '../../src/stores/errors.ts';
import {
  type EventStore,
  MAX_APPEND_BYTES,
  NO_STREAM,
  type Position,
  type StoredEvent,
} from '../../src/stores/event-store.ts';
import { verifyChain } from '../../src/trail/chain.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { makeEvents } from '../support/events.ts';
import { rejection, take } from '../support/take.ts';

export interface EventStoreFixture {
  store: EventStore;
  /** Opens the same log once more, as another process would. */
  reopen(): Promise<EventStore>;
  /** Closes every store that was opened and removes what they kept. */
  close(): Promise<void>;
}

interface Context extends EventStoreFixture {
  /** A stream name that no earlier run has used: the log may have been used before. */
  name(): string;
  /** Everything of ours after the place where the test began. */
  all(store?: EventStore): Promise<StoredEvent[]>;
  isOurs(event: StoredEvent): boolean;
  start: Position | null;
}

/** Every promise of the EventStore port, as one suite. Runs once for each adapter. */
export function eventStoreContract(name: string, open: () => Promise<EventStoreFixture>): void {
  const test = suite<Context>(`event store: ${name}`);

  test.before.each(async (context) => {
    const mark = `contract${randomUUID().replaceAll('-', '')}`;
    const fixture = await open();
    const isOurs = (event: StoredEvent) => event.stream.startsWith(mark);
    const start = await fixture.store.head();
    let streams = 0;
    Object.assign(context, fixture, {
      start,
      isOurs,
      name: () => `${mark}-${streams++}`,
      all: async (store = fixture.store) => (await collect(store.readAll(start))).filter(isOurs),
    });
  });
  test.after.each(({ close }) => close());

  appending(test);
  conflicts(test);
  refusals(test);
  reading(test);
  subscribing(test);
  closing(test);
  test.run();
}

type Suite = ReturnType<typeof suite<Context>>;

function appending(test: Suite): void {
  test('what was appended is read back as it was', async ({ store, name }) => {
    const stream = name();
    const data = { text: 'a\u2028"\\\n\t€😀', number: 0.1, deep: { list: [1, null, true, ''] }, empty: {} };
    const events = makeEvents(stream, { count: 3, data, metadata: { client: null, simulated: true } });
    await store.append(stream, events, NO_STREAM);
    const read = await store.readStream(stream);
    assert.equal(read.map(withoutPosition), events);
    assert.is(verifyChain(read.map(withoutPosition)), null);
  });

  test('append answers the position of its last event', async ({ store, name, all }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 3 });
    const position = await store.append(stream, events, NO_STREAM);
    const read = await store.readStream(stream);
    assert.is(position, read[2]!.position);
    assert.is(position, (await all()).at(-1)!.position);
  });

  test('64 writers of one stream each get one place in it', async ({ store, reopen, name }) => {
    const stream = name();
    const other = await reopen();
    const writers = Array.from({ length: 64 }, (_, index) => appendSome(index % 2 ? store : other, stream));
    const appended = await Promise.all(writers);
    const read = await store.readStream(stream);
    assert.is(read.length, 64);
    assert.is(verifyChain(read.map(withoutPosition)), null);
    assert.equal(read.map(({ id }) => id).sort(), appended.map(({ id }) => id).sort());
  });

  test('64 writers of as many streams do not hinder each other', async ({ store, name, all }) => {
    const appended = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const stream = name();
        const events = makeEvents(stream, { count: 2 });
        return { stream, position: await store.append(stream, events, NO_STREAM) };
      }),
    );
    const read = await all();
    assert.is(read.length, 128);
    for (const { stream, position } of appended) {
      assert.equal(
        read.filter((event) => event.stream === stream).map(({ revision }) => revision),
        [0, 1],
      );
      assert.is(read.find((event) => event.position === position)?.stream, stream);
    }
  });

  test('a verbatim retry succeeds and appends nothing', async ({ store, name, all }) => {
    const stream = name();
    const first = makeEvents(stream, { count: 2 });
    const second = makeEvents(stream, { after: first[1], count: 3 });
    const places = [await store.append(stream, first, NO_STREAM), await store.append(stream, second, 1)];
    assert.is(await store.append(stream, second, 1), places[1]);
    assert.is((await all()).length, 5);
  });

  test('a verbatim retry succeeds also when later events follow', async ({ store, reopen, name, all }) => {
    const stream = name();
    const first = makeEvents(stream, { count: 2 });
    const place = await store.append(stream, first, NO_STREAM);
    await store.append(stream, makeEvents(stream, { after: first[1], count: 2 }), 1);
    assert.is(await store.append(stream, first, NO_STREAM), place);
    const other = await reopen();
    assert.is(await other.append(stream, first, NO_STREAM), place);
    assert.is((await all()).length, 4);
  });

  test('the same batch sent many times at once lands once', async ({ store, reopen, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 2 });
    const other = await reopen();
    const places = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? store : other).append(stream, events, NO_STREAM)),
    );
    assert.is(new Set(places).size, 1);
    assert.is((await store.readStream(stream)).length, 2);
  });
}

function conflicts(test: Suite): void {
  test('a stale expected revision is a conflict that names the actual one', async ({ store, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 3 });
    await store.append(stream, events, NO_STREAM);
    await assertConflict(store.append(stream, makeEvents(stream), NO_STREAM), stream, 2);
    await assertConflict(store.append(stream, makeEvents(stream, { after: events[0] }), 0), stream, 2);
    await assertConflict(
      store.append(stream, makeEvents(stream, { after: { ...events[2]!, revision: 7 } }), 7),
      stream,
      2,
    );
  });

  test('of an absent stream the actual revision is -1', async ({ store, name }) => {
    const stream = name();
    const [before] = makeEvents(stream);
    await assertConflict(store.append(stream, makeEvents(stream, { after: before }), 0), stream, NO_STREAM);
    assert.equal(await store.readStream(stream), []);
  });

  test('a batch in conflict leaves nothing', async ({ store, name, all }) => {
    const stream = name();
    const held = makeEvents(stream, { count: 2 });
    await store.append(stream, held, NO_STREAM);
    await assertConflict(store.append(stream, makeEvents(stream, { count: 3 }), NO_STREAM), stream, 1);
    await assertConflict(store.append(stream, makeEvents(stream, { after: held[0], count: 3 }), 0), stream, 1);
    assert.equal((await all()).map(withoutPosition), held);
  });

  test('a batch that begins with what is held and goes on is a conflict', async ({ store, name, all }) => {
    const stream = name();
    const held = makeEvents(stream, { count: 2 });
    await store.append(stream, held, NO_STREAM);
    const longer = [...held, ...makeEvents(stream, { after: held[1] })];
    const forked = [held[0]!, ...makeEvents(stream, { after: held[0] })];
    await assertConflict(store.append(stream, longer, NO_STREAM), stream, 1);
    await assertConflict(store.append(stream, forked, NO_STREAM), stream, 1);
    assert.equal((await all()).map(withoutPosition), held);
  });
}

function refusals(test: Suite): void {
  test('an event whose id, hash or data is not its own is refused', async ({ store, name }) => {
    const stream = name();
    const [event] = makeEvents(stream) as [TrailEvent];
    const [foreign] = makeEvents(stream) as [TrailEvent];
    const forged: TrailEvent[] = [
      { ...event, id: foreign.id },
      { ...event, id: randomUUID() },
      { ...event, data: { name: 'other' } },
      { ...event, type: 'VendorRemoved' },
      { ...event, metadata: { ...event.metadata, actor_id: 'acc_other' } },
      { ...event, metadata: { ...event.metadata, hash: foreign.metadata.hash } },
    ];
    for (const one of forged) {
      assert.instance(await rejection(store.append(stream, [one], NO_STREAM)), TypeError);
    }
    assert.equal(await store.readStream(stream), []);
  });

  test('a batch with a hole, of another stream or of nothing is refused', async ({ store, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 3 });
    const wrong: [TrailEvent[], number][] = [
      [[events[0]!, events[2]!], NO_STREAM],
      [[events[1]!, events[0]!], NO_STREAM],
      [events, 0],
      [makeEvents(name()), NO_STREAM],
      [[], NO_STREAM],
    ];
    for (const [batch, expected] of wrong) {
      assert.instance(await rejection(store.append(stream, batch, expected)), TypeError);
    }
    assert.equal(await store.readStream(stream), []);
  });

  test('an append may be as large as the limit and no larger', async ({ store, name }) => {
    const stream = name();
    const room = MAX_APPEND_BYTES - 3000;
    const large = makeEvents(stream, { data: { text: 'x'.repeat(room) } });
    await store.append(stream, large, NO_STREAM);
    assert.is(((await store.readStream(stream))[0]!.data.text as string).length, room);
    const over = makeEvents(name(), { count: 2, data: { text: '€'.repeat(MAX_APPEND_BYTES / 6) } });
    assert.instance(await rejection(store.append(over[0]!.stream, over, NO_STREAM)), TooLarge);
    assert.equal(await store.readStream(over[0]!.stream), []);
  });
}

function reading(test: Suite): void {
  test('an absent stream is empty', async ({ store, name }) => {
    assert.equal(await store.readStream(name()), []);
    assert.equal(await store.readStream(name(), 5), []);
  });

  test('a stream is read from a revision on', async ({ store, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 5 });
    await store.append(stream, events, NO_STREAM);
    assert.equal((await store.readStream(stream, 3)).map(withoutPosition), events.slice(3));
    assert.equal(await store.readStream(stream, 5), []);
    assert.equal(await store.readStream(stream, 50), []);
  });

  test('everything is read in the order in which it was appended', async ({ store, name, all }) => {
    const { events } = await interleave(store, [name(), name(), name()]);
    const read = await all();
    assert.equal(read.map(withoutPosition), events);
    for (const [index, event] of read.entries()) {
      if (index > 0) assert.ok(store.comparePositions(read[index - 1]!.position, event.position) < 0);
    }
    const again = await store.readStream(events[0]!.stream);
    assert.equal(
      again,
      read.filter(({ stream }) => stream === events[0]!.stream),
    );
  });

  test('positions are exclusive', async ({ store, name, isOurs, all }) => {
    await interleave(store, [name(), name()]);
    const read = await all();
    for (const [index, { position }] of read.entries()) {
      const rest = (await collect(store.readAll(position))).filter(isOurs);
      assert.equal(rest, read.slice(index + 1));
    }
  });

  test('a long log is read whole, in batches', async ({ store, name, all }) => {
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

  test('head is the newest event', async ({ store, reopen, name, start }) => {
    const stream = name();
    const position = await store.append(stream, makeEvents(stream, { count: 2 }), NO_STREAM);
    assert.is(await store.head(), position);
    assert.is(await (await reopen()).head(), position);
    if (start !== null) assert.ok(store.comparePositions(start, position) < 0);
    assert.equal(await collect(store.readAll(position)), []);
  });

  test('positions compare as numbers do', async ({ store, name, all }) => {
    await interleave(store, [name(), name()]);
    const places = (await all()).map(({ position }) => position);
    const shuffled = [...places].reverse().sort((a, b) => store.comparePositions(a, b));
    assert.equal(shuffled, places);
    assert.is(store.comparePositions(places[0]!, places[0]!), 0);
    assert.ok(store.comparePositions(places[1]!, places[0]!) > 0);
  });

  test('another process sees the same log', async ({ store, reopen, name, all }) => {
    const { events } = await interleave(store, [name(), name()]);
    const other = await reopen();
    assert.equal(await all(other), await all());
    const stream = events.at(-1)!.stream;
    const position = await other.append(stream, makeEvents(stream, { after: events.at(-1) }), 3);
    assert.is((await all()).at(-1)!.position, position);
  });
}

function subscribing(test: Suite): void {
  test('a subscription delivers what readAll does, then what comes', async ({ store, name, start, isOurs, all }) => {
    const streams = [name(), name()];
    const { events } = await interleave(store, streams);
    const early = take((signal) => store.subscribeAll(start, signal), events.length * 2, isOurs);
    const later = await interleave(store, [name(), name()]);
    const delivered = await early;
    assert.equal(delivered, await all());
    assert.equal(delivered.map(withoutPosition), [...events, ...later.events]);
  });

  test('a subscription begins after the given position', async ({ store, name, isOurs, all }) => {
    await interleave(store, [name(), name()]);
    const read = await all();
    const rest = await take((signal) => store.subscribeAll(read[2]!.position, signal), read.length - 3, isOurs);
    assert.equal(rest, read.slice(3));
  });

  test('a subscription delivers what other writers append, each event once', async ({
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

  test('a slow subscriber gets what has piled up', async ({ store, name, start, isOurs, all }) => {
    const stop = new AbortController();
    const delivered: StoredEvent[] = [];
    const stream = name();
    let last = await appendAfter(store, stream, undefined);
    for await (const batch of store.subscribeAll(start, stop.signal)) {
      delivered.push(...batch.filter(isOurs));
      if (delivered.length >= 30) break;
      if (last.revision < 29) last = await appendAfter(store, stream, last);
    }
    assert.equal(delivered, await all());
  });

  test('a subscription ends when its signal is aborted, and only that one', async ({ store, name, start, isOurs }) => {
    const stop = new AbortController();
    const ended = drain(store.subscribeAll(start, stop.signal));
    const other = take((signal) => store.subscribeAll(start, signal), 1, isOurs);
    stop.abort();
    await ended;
    const stream = name();
    await store.append(stream, makeEvents(stream), NO_STREAM);
    assert.is((await other).length, 1);
    await drain(store.subscribeAll(start, AbortSignal.abort()));
  });
}

function closing(test: Suite): void {
  test('closing ends subscriptions', async ({ store, reopen, name, start }) => {
    const stream = name();
    await store.append(stream, makeEvents(stream), NO_STREAM);
    const other = await reopen();
    const waiting = drain(other.subscribeAll(start, new AbortController().signal));
    await other.close();
    await waiting;
    assert.is((await store.readStream(stream)).length, 1);
  });

  test('closing waits for what is under way', async ({ store, reopen, name }) => {
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

/** Appends one event, over again on the newest state as long as others are faster. */
async function appendSome(store: EventStore, stream: string): Promise<TrailEvent> {
  for (let newest = 0; ; ) {
    const last = (await store.readStream(stream, newest)).at(-1);
    try {
      return await appendAfter(store, stream, last);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      newest = error.actual;
    }
  }
}

async function appendAfter(store: EventStore, stream: string, last: TrailEvent | undefined): Promise<TrailEvent> {
  const [event] = makeEvents(stream, { after: last }) as [TrailEvent];
  await store.append(stream, [event], event.revision - 1);
  return event;
}

/** Two batches of two for each stream, in turn. */
async function interleave(store: EventStore, streams: readonly string[]): Promise<{ events: TrailEvent[] }> {
  const events: TrailEvent[] = [];
  for (const expected of [NO_STREAM, 1]) {
    for (const stream of streams) {
      const after = events.findLast((event) => event.stream === stream);
      const batch = makeEvents(stream, { after, count: 2 });
      await store.append(stream, batch, expected);
      events.push(...batch);
    }
  }
  return { events };
}

async function assertConflict(append: Promise<unknown>, stream: string, actual: number): Promise<void> {
  const error = await rejection(append);
  if (!(error instanceof RevisionConflict)) throw error;
  assert.is(error.stream, stream);
  assert.is(error.actual, actual);
}

async function collect(batches: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

function withoutPosition({ position: _position, ...event }: StoredEvent): TrailEvent {
  return event;
}
