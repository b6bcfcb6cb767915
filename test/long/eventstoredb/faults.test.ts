import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TooLarge } from '../../../src/stores/errors.ts';
import { NO_STREAM } from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import type { AppendFault } from '../../support/fake-eventstoredb/faults.ts';
import { addForeignEvents } from '../../support/fake-eventstoredb/log.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take, untilSettled, untilTrue } from '../../support/run/take.ts';
import {
  assertUnavailable,
  type FakeContext,
  ids,
  pause,
  retryUnavailable,
  SHORT_DEADLINES,
  withFake,
} from '../../support/stores/eventstoredb.ts';

interface Written {
  stream: string;
  events: TrailEvent[];
}

/** Faults that EventStoreDB and its client are known for, in appends and reads, and how the adapter handles them. */
const test = suite<FakeContext>('EventStoreDB with faults');
withFake(test);

/* Appends */

const UNKNOWN: readonly [AppendFault, string][] = [
  ['never-answer', 'that is never answered'],
  ['disconnect', 'whose connection is lost'],
];

for (const [fault, what] of UNKNOWN) {
  test(`an append ${what} is ambiguous, and a retry of the same bytes succeeds`, async ({ fake, store, open }) => {
    const impatientStore = open(fake.url, SHORT_DEADLINES);
    await retryUnavailable(() => impatientStore.readStream('vendor-1'));
    fake.faults.appends.push(fault);
    const events = makeEvents('vendor-1', { count: 2 });
    assertUnavailable(await rejection(impatientStore.append('vendor-1', events, NO_STREAM)), { ambiguous: true });
    const position = await retryUnavailable(() => store.append('vendor-1', events, NO_STREAM));
    const stored = await store.readStream('vendor-1');
    assert.equal(ids(stored), ids(events));
    assert.is(position, stored[1]!.storePosition);
  });
}

const LANDED: readonly [AppendFault, string][] = [
  ['land-never-answer', 'that lands and is never answered'],
  ['land-cut', 'that lands and whose connection is lost'],
  ['land-cancel', 'that lands and is cancelled by the server'],
  ['land-timeout', 'that lands after the server has given up on it'],
];

for (const [fault, what] of LANDED) {
  test(`an append ${what} succeeds, because it is found in its stream`, async ({ fake, open }) => {
    const impatientStore = open(fake.url, SHORT_DEADLINES);
    await retryUnavailable(() => impatientStore.readStream('vendor-1'));
    fake.faults.appends.push(fault);
    const events = makeEvents('vendor-1', { count: 2 });
    const position = await impatientStore.append('vendor-1', events, NO_STREAM);
    const stored = await impatientStore.readStream('vendor-1');
    assert.equal(ids(stored), ids(events));
    assert.is(position, stored[1]!.storePosition);
    assert.is(fake.appends.count, 1);
  });
}

test('a lost append fails no other append', async ({ fake, open }) => {
  const store = open(fake.url, { appendDeadlineMs: 1000 });
  const streams = Array.from({ length: 20 }, (_, index) => `vendor-${index}`);
  fake.faults.appends.push('never-answer');
  const appends = streams.map((stream) => store.append(stream, makeEvents(stream), NO_STREAM));
  const outcomes = await Promise.allSettled(appends);
  assert.is(outcomes.filter(({ status }) => status === 'rejected').length, 1);
});

test('when the call for appends ends, those without an answer are looked up, and later ones get another call', async ({
  fake,
  open,
}) => {
  const store = open(fake.url, SHORT_DEADLINES);
  await retryUnavailable(() => store.readStream('vendor-1'));
  fake.faults.appends.push('land-never-answer', 'never-answer', 'end-call');
  const [landed, lost, ended] = ['vendor-1', 'vendor-2', 'vendor-3'].map((stream) => ({
    stream,
    events: makeEvents(stream),
  })) as [Written, Written, Written];
  const append = ({ stream, events }: Written) => store.append(stream, events, NO_STREAM);
  const appends = [append(landed), rejection(append(lost)), rejection(append(ended))] as const;
  assert.is(await appends[0], (await store.readStream('vendor-1'))[0]!.storePosition);
  for (const failure of [await appends[1], await appends[2]]) assertUnavailable(failure, { ambiguous: true });
  await retryUnavailable(() => append(lost));
  await retryUnavailable(() => append(ended));
  assert.is(fake.appends.calls.size, 1);
  assert.is(fake.log.stream('vendor-1')!.length, 1);
});

test('after an append without an answer, the call ends with its last append, and later ones get another', async ({
  fake,
  open,
}) => {
  const store = open(fake.url, SHORT_DEADLINES);
  await retryUnavailable(() => store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM));
  const [firstCall] = fake.appends.calls;
  fake.faults.appends.push('never-answer');
  assertUnavailable(await rejection(store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM)), { ambiguous: true });
  await store.append('vendor-3', makeEvents('vendor-3'), NO_STREAM);
  await untilTrue(() => !fake.appends.calls.has(firstCall!));
  assert.is(fake.appends.calls.size, 1);
});

test('appendInOrder keeps the order when its call ends', async ({ fake, open }) => {
  const store = open(fake.url, SHORT_DEADLINES);
  await retryUnavailable(() => store.readStream('vendor-1'));
  const batches = Array.from({ length: 20 }, (_, index) => {
    const stream = `vendor-${index}`;
    return { stream, events: makeEvents(stream), expectedRevision: NO_STREAM };
  });
  fake.faults.appends.push('no-position', 'land-never-answer');
  for (let index = 2; index < 10; index += 1) fake.faults.appends.push('no-position');
  fake.faults.appends.push('end-call');
  const positions = await store.appendInOrder(batches);
  const stored = await take(() => store.readAll(null), batches.length);
  assert.equal(
    ids(stored),
    batches.flatMap(({ events }) => ids(events)),
  );
  assert.equal(
    positions,
    stored.map(({ storePosition }) => storePosition),
  );
});

test("the client's own call for appends loses answers when it ends, and dispose() hangs", async ({ fake }) => {
  const client = EventStoreDBClient.connectionString(fake.url);
  await client.appendToStream('other-1', jsonEvent({ type: 'Happened', data: {} }));
  assert.is(fake.appends.count, 1);
  fake.faults.appends.push('end-call');
  const stranded = client.appendToStream('other-2', jsonEvent({ type: 'Happened', data: {} }), { deadline: 50 });
  await untilTrue(() => fake.appends.count === 2);
  // A read on the same connection returns after the client has received the end. Until then, dispose() cancels the call.
  for await (const _event of client.readStream('other-1'));
  const next = client.appendToStream('other-3', jsonEvent({ type: 'Happened', data: {} }), { deadline: 50 });
  assert.is(await Promise.race([stranded, next, client.dispose(), pause(300)]), 'nothing yet');
});

test('calls without a server fail unambiguously, and succeed once it starts', async ({ fake, start, open }) => {
  await fake.close();
  const store = open(fake.url);
  const events = makeEvents('vendor-1');
  assertUnavailable(await rejection(store.append('vendor-1', events, NO_STREAM)), { ambiguous: false });
  assertUnavailable(await rejection(store.readStream('vendor-1')), { ambiguous: false });
  assertUnavailable(await rejection(store.head(null)), { ambiguous: false });
  await start({ port: fake.port });
  await retryUnavailable(() => store.append('vendor-1', events, NO_STREAM));
  assert.equal(ids(await store.readStream('vendor-1')), ids(events));
});

test('an append that succeeds without a position reads it from the stream', async ({ fake, store }) => {
  const events = makeEvents('vendor-1', { count: 2 });
  fake.faults.appends.push('no-position');
  const position = await store.append('vendor-1', events, NO_STREAM);
  assert.is(position, (await store.readStream('vendor-1'))[1]!.storePosition);
});

test('a conflict with the same events is a success', async ({ fake, store }) => {
  const events = makeEvents('vendor-1', { count: 2 });
  const position = await store.append('vendor-1', events, NO_STREAM);
  await store.append('vendor-1', makeEvents('vendor-1', { after: events[1] }), 1);
  fake.faults.appends.push('conflict');
  assert.is(await store.append('vendor-1', events, NO_STREAM), position);
});

test('a conflict is ambiguous if the stream can’t be read', async ({ fake, store }) => {
  const events = makeEvents('vendor-1');
  await store.append('vendor-1', events, NO_STREAM);
  fake.faults.appends.push('conflict');
  fake.faults.reads.push('break');
  assertUnavailable(await rejection(store.append('vendor-1', events, NO_STREAM)), { ambiguous: true });
});

test('the adapter refuses an event with a used id and other data, because the server would keep the first', async ({
  fake,
  store,
}) => {
  const [event] = makeEvents('vendor-1') as [TrailEvent];
  await store.append('vendor-1', [event], NO_STREAM);
  const client = EventStoreDBClient.connectionString(fake.url);
  const other = jsonEvent({ id: event.id, type: event.type, data: { name: 'other' } });
  const answer = await client.appendToStream('vendor-1', other, { expectedRevision: 'no_stream' });
  assert.ok(answer.success);
  const { count } = fake.appends;
  const forged = { ...event, data: { name: 'other' } };
  assert.instance(await rejection(store.append('vendor-1', [forged], NO_STREAM)), TypeError);
  assert.is(fake.appends.count, count);
  assert.equal((await store.readStream('vendor-1'))[0]!.data, event.data);
  await client.dispose();
});

test('refuses a connection string that makes a conflict look like a success', async ({ fake, open }) => {
  assert.throws(() => open(`${fake.url}&throwOnAppendFailure=false`), /throwOnAppendFailure=false.*remove it/);
});

test("an append over the server's limit is too large", async ({ start, open }) => {
  const limitedServer = await start({ maxAppendBytes: 2000 });
  const events = makeEvents('vendor-1', { count: 3 });
  assert.instance(await rejection(open(limitedServer.url).append('vendor-1', events, NO_STREAM)), TooLarge);
});

/* Reads */

test('a read without an answer, or with a broken connection, fails as unavailable', async ({ fake, store, open }) => {
  const impatientStore = open(fake.url, SHORT_DEADLINES);
  fake.faults.reads.push('never-answer', 'break', 'never-answer', 'break');
  assertUnavailable(await rejection(impatientStore.readStream('vendor-1')), { ambiguous: false });
  assertUnavailable(await rejection(impatientStore.readStream('vendor-1')), { ambiguous: false });
  assertUnavailable(await rejection(take(() => impatientStore.readAll(null), 1)), { ambiguous: false });
  assertUnavailable(await rejection(impatientStore.head(null)), { ambiguous: false });
  assert.equal(await store.readStream('vendor-1'), []);
});

test('a slow read succeeds while events keep coming', async ({ fake, store, open }) => {
  const events = makeEvents('vendor-1', { count: 10 });
  await store.append('vendor-1', events, NO_STREAM);
  fake.faults.reads.push('slow');
  assert.equal(ids(await open(fake.url, SHORT_DEADLINES).readStream('vendor-1')), ids(events));
});

test('head does not read the log', async ({ fake, store }) => {
  const text = 'x'.repeat(4000);
  for (let index = 0; index < 4; index += 1) {
    await store.append(`vendor-${index}`, makeEvents(`vendor-${index}`, { count: 200, data: { text } }), NO_STREAM);
  }
  const position = await store.append('vendor-9', makeEvents('vendor-9'), NO_STREAM);
  assert.is((await store.head(null)).newest, position);
  await untilSettled(() => fake.faults.deliveredCount);
  assert.ok(fake.faults.deliveredCount < 500);
});

test('a page that fails to prefetch fails when the reader gets to it', async ({ fake, store }) => {
  for (let index = 0; index < 3; index += 1) {
    await store.append(`vendor-${index}`, makeEvents(`vendor-${index}`, { count: 500 }), NO_STREAM);
  }
  let received = 0;
  const reading = async () => {
    for await (const events of store.readAll(null)) {
      received += events.length;
      fake.faults.reads.push('break');
      await untilTrue(() => fake.faults.reads.length === 0);
      await untilSettled(() => received);
    }
  };
  assertUnavailable(await rejection(reading()));
  assert.ok(received > 0 && received <= 1000);
});

test('ignores events of the server and of other programs', async ({ fake, store }) => {
  assert.is((await store.head(null)).newest, null);
  for await (const _ of store.readAll(null)) assert.unreachable();
  const events = makeEvents('vendor-1', { count: 2 });
  const position = await store.append('vendor-1', events, NO_STREAM);
  addForeignEvents(fake.log);
  assert.is((await store.head(null)).newest, position);
  assert.equal(ids(await take(() => store.readAll(null), 2)), ids(events));
  const laterEvents = makeEvents('vendor-2');
  await store.append('vendor-2', laterEvents, NO_STREAM);
  assert.equal(ids(await take((signal) => store.subscribeAll(null, signal), 3)), ids([...events, ...laterEvents]));
});

test('a cluster is found through its reachable members', async ({ fake, start, open }) => {
  const stoppedServer = await start();
  await stoppedServer.close();
  const events = makeEvents('vendor-1');
  const disconnected = open(
    `esdb://127.0.0.1:${stoppedServer.port},127.0.0.1:${stoppedServer.port}?tls=false&maxDiscoverAttempts=2`,
  );
  assertUnavailable(await rejection(disconnected.append('vendor-1', events, NO_STREAM)), { ambiguous: false });
  const store = open(`esdb://127.0.0.1:${stoppedServer.port},127.0.0.1:${fake.port}?tls=false`);
  await store.append('vendor-1', events, NO_STREAM);
  assert.equal(ids(await store.readStream('vendor-1')), ids(events));
});

test('a follower redirects calls that require the leader', async ({ fake, start, open }) => {
  const follower = await start();
  follower.faults.leader = { host: '127.0.0.1', port: fake.port };
  const store = open(follower.url);
  const events = makeEvents('vendor-1');
  const leader = open(fake.url);
  await leader.append('vendor-1', events, NO_STREAM);
  assert.equal(ids(await store.readStream('vendor-1')), ids(events));
});

/* Closing */

test('close does not wait for calls that never end', async ({ fake, open }) => {
  const store = open(fake.url, SHORT_DEADLINES);
  const subscribed = take((signal) => store.subscribeAll(null, signal), 1).catch(() => 'ended');
  await untilTrue(() => fake.faults.subscribers === 1);
  fake.faults.appends.push('never-answer');
  fake.faults.reads.push('never-answer');
  const append = rejection(store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM));
  const read = rejection(store.readStream('vendor-1'));
  const closed = store.close().then(() => 'closed');
  assert.is(await Promise.race([closed, pause(4000)]), 'closed');
  assert.is(await subscribed, 'ended');
  assertUnavailable(await append, { ambiguous: true });
  assertUnavailable(await read);
  await untilTrue(() => fake.faults.subscribers === 0);
});

test('close closes the connection', async ({ fake, open }) => {
  const store = open(fake.url);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  await store.readStream('vendor-1');
  assert.is(fake.connections(), 1);
  await store.close();
  await untilTrue(() => fake.connections() === 0);
});

test('close succeeds without a server', async ({ fake, open }) => {
  const store = open(fake.url);
  await fake.close();
  assertUnavailable(await rejection(store.head(null)));
  assert.is(await Promise.race([store.close().then(() => 'closed'), pause(4000)]), 'closed');
});

test('the fake runs in its own process', async ({ open }) => {
  const main = fileURLToPath(new URL('../../support/fake-eventstoredb/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const url = /^listening (esdb:\S+)\n$/.exec(line)![1]!;
    const store = open(url, {});
    await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
    assert.is((await store.readStream('vendor-1')).length, 1);
  } finally {
    child.kill('SIGTERM');
  }
  assert.equal(await once(child, 'exit'), [0, null]);
});

test.run();
