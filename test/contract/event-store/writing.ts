import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { monotonicMs } from '../../../src/clock/monotonic.ts';
import { DecisionExpired, TooLarge } from '../../../src/stores/errors.ts';
import {
  type AppendCondition,
  MAX_APPEND_BYTES,
  MAX_CONDITION_AGE_MS,
  MAX_DECISION_AGE_MS,
  NO_STREAM,
} from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { verifyChain } from '../../../src/trail/index.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { readable } from '../../support/histories/readable.ts';
import { rejection } from '../../support/run/take.ts';
import { appendSome, asAppended, assertConflict, type Suite } from './context.ts';

/** Tests appends that succeed. */
export function testAppends(test: Suite): void {
  test('appended events are read back unchanged', async ({ store, name }) => {
    const stream = name();
    const data = { text: 'a\u2028"\\\n\t€😀', number: 0.1, deep: { list: [1, null, true, ''] }, empty: {} };
    const events = makeEvents(stream, { count: 3, data, metadata: { client: null, simulated: true } });
    await store.append(stream, events, NO_STREAM);
    const read = await store.readStream(stream);
    assert.equal(read.map(asAppended), events);
    assert.is(verifyChain(read.map(asAppended)), null);
  });

  test('append returns the store position of its last event', async ({ store, name, all }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 3 });
    const storePosition = await store.append(stream, events, NO_STREAM);
    const read = await store.readStream(stream);
    assert.is(storePosition, read[2]!.storePosition);
    assert.is(storePosition, (await all()).at(-1)!.storePosition);
  });

  test('64 writers of one stream get one revision each', async ({ store, reopen, name }) => {
    const stream = name();
    const other = await reopen();
    const writers = Array.from({ length: 64 }, (_, index) => appendSome(index % 2 ? store : other, stream));
    const appended = await Promise.all(writers);
    const read = await store.readStream(stream);
    assert.is(read.length, 64);
    assert.is(verifyChain(read.map(asAppended)), null);
    assert.equal(read.map(({ id }) => id).sort(), appended.map(({ id }) => id).sort());
  });

  test('64 writers of 64 streams have no conflicts', async ({ store, name, all }) => {
    const appended = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const stream = name();
        const events = makeEvents(stream, { count: 2 });
        return { stream, position: await store.append(stream, events, NO_STREAM) };
      }),
    );
    const read = await all();
    assert.is(read.length, 128);
    for (const { stream, position: storePosition } of appended) {
      assert.equal(
        read.filter((event) => event.stream === stream).map(({ revision }) => revision),
        [0, 1],
      );
      assert.is(read.find((event) => event.storePosition === storePosition)?.stream, stream);
    }
  });

  test('appendInOrder appends batches of several streams in their order, and a retry nothing', async ({
    store,
    name,
    all,
  }) => {
    const streams = Array.from({ length: 10 }, name);
    const histories = streams.map((stream) => makeEvents(stream, { count: 12 }));
    // Batches of one to three events, in turn.
    const batches = [0, 1, 3, 6, 7, 9].flatMap((from, index, starts) =>
      histories.map((events, stream) => ({
        stream: streams[stream]!,
        events: events.slice(from, starts[index + 1] ?? 12),
        expectedRevision: from - 1,
      })),
    );
    const storePositions = await store.appendInOrder(batches);
    const read = await all();
    const expected = batches.flatMap(({ events }) => events.map(({ id }) => id));
    assert.equal(
      read.map(({ id }) => id),
      expected,
    );
    const ends = batches.map(({ events }) => read.find(({ id }) => id === events.at(-1)!.id)!.storePosition);
    assert.equal(storePositions, ends);
    assert.equal(await store.appendInOrder(batches), ends);
    assert.is((await all()).length, expected.length);
  });

  test('a retry of the same events succeeds and appends nothing', async ({ store, name, all }) => {
    const stream = name();
    const first = makeEvents(stream, { count: 2 });
    const second = makeEvents(stream, { after: first[1], count: 3 });
    const storePositions = [await store.append(stream, first, NO_STREAM), await store.append(stream, second, 1)];
    assert.is(await store.append(stream, second, 1), storePositions[1]);
    assert.is((await all()).length, 5);
  });

  test('a retry of the same events succeeds even after later events', async ({ store, reopen, name, all }) => {
    const stream = name();
    const first = makeEvents(stream, { count: 2 });
    const storePosition = await store.append(stream, first, NO_STREAM);
    await store.append(stream, makeEvents(stream, { after: first[1], count: 2 }), 1);
    assert.is(await store.append(stream, first, NO_STREAM), storePosition);
    const other = await reopen();
    assert.is(await other.append(stream, first, NO_STREAM), storePosition);
    assert.is((await all()).length, 4);
  });

  test('a batch sent many times at once is written once', async ({ store, reopen, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 2 });
    const other = await reopen();
    const storePositions = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? store : other).append(stream, events, NO_STREAM)),
    );
    assert.is(new Set(storePositions).size, 1);
    assert.is((await store.readStream(stream)).length, 2);
  });
}

/** Tests appends with a wrong expected revision. */
export function testConflicts(test: Suite): void {
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

  test('appendInOrder rejects if a batch conflicts', async ({ store, name }) => {
    const [stream, other] = [name(), name()];
    await store.append(stream, makeEvents(stream), NO_STREAM);
    const batches = [other, stream].map((each) => ({
      stream: each,
      events: makeEvents(each),
      expectedRevision: NO_STREAM,
    }));
    await assertConflict(store.appendInOrder(batches), stream, 0);
  });

  test('the actual revision of an absent stream is -1', async ({ store, name }) => {
    const stream = name();
    const [before] = makeEvents(stream);
    await assertConflict(store.append(stream, makeEvents(stream, { after: before }), 0), stream, NO_STREAM);
    assert.equal(await store.readStream(stream), []);
  });

  test('a batch with a conflict writes nothing', async ({ store, name, all }) => {
    const stream = name();
    const stored = makeEvents(stream, { count: 2 });
    await store.append(stream, stored, NO_STREAM);
    await assertConflict(store.append(stream, makeEvents(stream, { count: 3 }), NO_STREAM), stream, 1);
    await assertConflict(store.append(stream, makeEvents(stream, { after: stored[0], count: 3 }), 0), stream, 1);
    assert.equal((await all()).map(asAppended), stored);
  });

  test('a batch that starts with stored events and adds new ones is a conflict', async ({ store, name, all }) => {
    const stream = name();
    const stored = makeEvents(stream, { count: 2 });
    await store.append(stream, stored, NO_STREAM);
    const longer = [...stored, ...makeEvents(stream, { after: stored[1] })];
    const forked = [stored[0]!, ...makeEvents(stream, { after: stored[0] })];
    await assertConflict(store.append(stream, longer, NO_STREAM), stream, 1);
    await assertConflict(store.append(stream, forked, NO_STREAM), stream, 1);
    assert.equal((await all()).map(asAppended), stored);
  });
}

/** Tests batches that every store must refuse, and the size limit. */
export function testRefusals(test: Suite): void {
  test('refuses events that were decided too long ago, and takes younger ones and those of any age', async ({
    store,
    name,
  }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 2 });
    const tooOld = () => monotonicMs() - MAX_DECISION_AGE_MS - 1;
    assert.instance(await rejection(store.append(stream, events, NO_STREAM, tooOld())), DecisionExpired);
    const batch = { stream, events, expectedRevision: NO_STREAM, decidedAt: tooOld() };
    assert.instance(await rejection(store.appendInOrder([batch])), DecisionExpired);
    assert.equal(await store.readStream(stream), []);
    await store.append(stream, events, NO_STREAM, monotonicMs() - 1_000);
    const other = name();
    await store.appendInOrder([{ stream: other, events: makeEvents(other), expectedRevision: NO_STREAM }]);
    assert.is((await store.readStream(stream)).length + (await store.readStream(other)).length, 3);
  });

  test('refuses events whose condition does not hold, but takes a repeated append of before', async ({
    store,
    name,
  }) => {
    const [stream, organization] = [name(), name()];
    const first = makeEvents(organization);
    await store.append(organization, first, NO_STREAM);
    const events = makeEvents(stream);
    const holds = (): AppendCondition => ({
      stream: organization,
      revision: 0,
      readAt: monotonicMs(),
      until: monotonicMs() + 60_000,
    });
    const append = (condition: AppendCondition) => store.append(stream, events, NO_STREAM, monotonicMs(), condition);
    assert.instance(await rejection(append({ ...holds(), until: monotonicMs() - 1 })), DecisionExpired);
    // An embedded store compares the revision, in the same transaction. Others limit the age of what was read.
    const outdated = { ...holds(), revision: -1, readAt: monotonicMs() - MAX_CONDITION_AGE_MS - 1 };
    assert.instance(await rejection(append(outdated)), DecisionExpired);
    assert.equal(await store.readStream(stream), []);
    const position = await append(holds());
    await store.append(organization, makeEvents(organization, { after: first[0]! }), 0);
    assert.is(await append(holds()), position);
  });

  test('refuses an event whose id or hash does not match its content', async ({ store, name }) => {
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
    for (const forgedEvent of forged) {
      assert.instance(await rejection(store.append(stream, [forgedEvent], NO_STREAM)), TypeError);
    }
    assert.equal(await store.readStream(stream), []);
  });

  test('refuses a batch with a gap, of another stream, or without events', async ({ store, name }) => {
    const stream = name();
    const events = makeEvents(stream, { count: 3 });
    const invalidAppends: [TrailEvent[], number][] = [
      [[events[0]!, events[2]!], NO_STREAM],
      [[events[1]!, events[0]!], NO_STREAM],
      [events, 0],
      [makeEvents(name()), NO_STREAM],
      [[], NO_STREAM],
    ];
    for (const [batch, expected] of invalidAppends) {
      assert.instance(await rejection(store.append(stream, batch, expected)), TypeError);
    }
    assert.equal(await store.readStream(stream), []);
  });

  test('accepts an append just under the size limit and refuses one over it', async ({ store, name }) => {
    const stream = name();
    const maxTextBytes = MAX_APPEND_BYTES - 3000;
    const large = makeEvents(stream, { data: { text: 'x'.repeat(maxTextBytes) } });
    await store.append(stream, large, NO_STREAM);
    assert.is((readable(await store.readStream(stream))[0]!.data.text as string).length, maxTextBytes);
    const tooLarge = makeEvents(name(), { count: 2, data: { text: '€'.repeat(MAX_APPEND_BYTES / 6) } });
    assert.instance(await rejection(store.append(tooLarge[0]!.stream, tooLarge, NO_STREAM)), TooLarge);
    assert.equal(await store.readStream(tooLarge[0]!.stream), []);
  });
}
