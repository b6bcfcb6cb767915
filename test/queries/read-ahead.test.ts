import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadAhead } from '../../src/queries/proofs/read-ahead.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { makeEvents } from '../support/histories/events.ts';
import { rejection } from '../support/run/take.ts';

interface Context {
  /** Streams of 3 events. Reads end when the test lets them. */
  reads: { stream: string; limit: number; finish(): void; fail(): void }[];
  ahead: ReadAhead;
}

const test = suite<Context>('reading ahead');

test.before.each((context) => {
  context.reads = [];
  context.ahead = new ReadAhead({
    compareStorePositions: () => 0,
    readStream: (stream, fromRevision, limit) =>
      new Promise((resolve, reject) => {
        const events = makeEvents(stream, { count: 3 }).slice(fromRevision, fromRevision + limit) as StoredEvent[];
        context.reads.push({ stream, limit, finish: () => resolve(events), fail: () => reject(new Error('broken')) });
      }),
  });
});

const streams = Array.from({ length: 40 }, (_, index) => `vendor-${index}`);

test('begins 16 reads in the expected order, and one more with each that is asked for', async ({ ahead, reads }) => {
  ahead.expect(streams.map((stream) => [stream, 2]));
  assert.equal(
    reads.map(({ stream }) => stream),
    streams.slice(0, 16),
  );
  for (const [index, stream] of streams.entries()) {
    const events = ahead.readStream(stream, 0, 2);
    assert.is(reads.length, Math.min(17 + index, streams.length));
    reads[index]!.finish();
    assert.equal(
      (await events).map(({ revision }) => revision),
      [0, 1],
    );
    assert.is((await events)[0]!.stream, stream);
  }
  assert.is(reads.length, streams.length, 'no stream was read twice');
});

test('returns no more events than asked for, and reads again if more are', async ({ ahead, reads }) => {
  ahead.expect([
    ['vendor-1', 1],
    ['vendor-2', 2],
    ['vendor-1', 3],
  ]);
  const one = ahead.readStream('vendor-2', 0, 1);
  const all = ahead.readStream('vendor-1', 0, 3);
  for (const { finish } of reads) finish();
  assert.is((await one).length, 1);
  assert.is((await all).length, 3);
});

test('reads later events, and streams that nobody expected, when they are asked for', async ({ ahead, reads }) => {
  const unexpected = ahead.readStream('vendor-1', 0, 2);
  const later = ahead.readStream('vendor-1', 2, 2);
  for (const { finish } of reads) finish();
  assert.is((await unexpected).length, 2);
  assert.equal(
    (await later).map(({ revision }) => revision),
    [2],
  );
});

test('an expected read that fails throws only when it is asked for', async ({ ahead, reads }) => {
  ahead.expect([['vendor-1', 2]]);
  reads[0]!.fail();
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(String(await rejection(ahead.readStream('vendor-1', 0, 2))), /broken/);
});

test.run();
