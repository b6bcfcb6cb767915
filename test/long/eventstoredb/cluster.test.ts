import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStore, NO_STREAM } from '../../../src/stores/event-store.ts';
import { openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { FakeCluster } from '../../support/fake-eventstoredb/nodes.ts';
import type { FakeOptions } from '../../support/fake-eventstoredb/server.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take, untilTrue } from '../../support/run/take.ts';
import { assertUnavailable, ids, retryUnavailable } from '../../support/stores/eventstoredb.ts';

/** Clusters whose leader hangs or dies. Only the test elects a new one. */
interface Context {
  start(size?: number, options?: FakeOptions): Promise<FakeCluster>;
  open(url: string): EventStore;
  cleanup: (() => Promise<void>)[];
}

const test = suite<Context>('EventStoreDB clusters without their leader');

test.before.each((context) => {
  context.cleanup = [];
  context.start = async (size, options) => {
    const cluster = await FakeCluster.start(size, options);
    context.cleanup.push(() => cluster.close());
    return cluster;
  };
  context.open = (url) => {
    const store = openEventStoreDb(url, { appendDeadlineMs: 500, readDeadlineMs: 1000 });
    context.cleanup.unshift(() => store.close());
    return store;
  };
});
test.after.each(async ({ cleanup }) => {
  for (const cleanUp of cleanup) await cleanUp();
});

/** Limit of the time from an election until calls succeed again. */
const BACK_MS = 2000;

const tlsFile = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
const SECURED: FakeOptions = {
  tls: { certificate: readFileSync(tlsFile('certificate')), key: readFileSync(tlsFile('key')) },
  user: { name: 'ops', password: 'p%40ss', canReadAll: true },
};
const CA = `tlsCAFile=${encodeURIComponent(tlsFile('certificate'))}`;

/** Descriptions, options and connection strings of clusters. */
const CLUSTERS: readonly [string, FakeOptions, (cluster: FakeCluster) => string][] = [
  ['whose nodes the URL lists', {}, ({ url }) => url],
  ['with short keepalives in the URL', {}, ({ url }) => `${url}&keepAliveInterval=1000&keepAliveTimeout=1500`],
  [
    'that is found by esdb+discover://',
    {},
    (cluster) => `esdb+discover://localhost:${cluster.node(1).relay.port}?tls=false`,
  ],
];

for (const [what, options, urlOf] of CLUSTERS) {
  test(`a hung leader of a cluster ${what} is replaced as soon as another is elected`, async ({ start, open }) => {
    const cluster = await start(3, options);
    const store = open(urlOf(cluster));
    const subscribed = take((signal) => store.subscribeAll(null, signal), 2);
    const first = makeEvents('vendor-1');
    await store.append('vendor-1', first, NO_STREAM);
    cluster.hangLeader();
    const second = makeEvents('vendor-2');
    const appended = retryUnavailable(() => store.append('vendor-2', second, NO_STREAM));
    // The followers still name the node that hangs, because no other node leads yet.
    await untilTrue(() => cluster.node(1).fake.connections() > 0);
    cluster.elect(1);
    const elected = performance.now();
    await appended;
    assert.ok(performance.now() - elected < BACK_MS, 'writes succeed soon after the election');
    assert.equal(ids(await subscribed), ids([...first, ...second]));
  });
}

test('calls that end before the election leave nothing behind, even with short keepalives', async ({ start, open }) => {
  const cluster = await start();
  const store = open(`${cluster.url}&keepAliveInterval=300&keepAliveTimeout=300`);
  const [event] = makeEvents('vendor-1') as [TrailEvent];
  await store.append('vendor-1', [event], NO_STREAM);
  cluster.hangLeader();
  // The nodes name the one that hangs while these calls fail, and its channel breaks by its keepalives.
  const [lost] = makeEvents('vendor-2') as [TrailEvent];
  const failures = await Promise.all([
    rejection(store.append('vendor-2', [lost], NO_STREAM)),
    rejection(store.readStream('vendor-1')),
    rejection(store.head(null)),
  ]);
  for (const failure of failures) assertUnavailable(failure);
  cluster.elect(1);
  const elected = performance.now();
  await retryUnavailable(() => store.append('vendor-2', [lost], NO_STREAM));
  assert.ok(performance.now() - elected < BACK_MS, 'writes succeed soon after the election');
  assert.equal(ids(await store.readStream('vendor-1')), [event.id]);
});

test('calls wait for the next leader after the leader was killed', async ({ start, open }) => {
  const cluster = await start();
  const store = open(cluster.url);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  await cluster.killLeader();
  const events = makeEvents('vendor-2');
  const appended = retryUnavailable(() => store.append('vendor-2', events, NO_STREAM));
  const read = store.readStream('vendor-1');
  setTimeout(() => cluster.elect(2), 1000);
  await appended;
  assert.is((await read).length, 1);
  assert.equal(ids(await store.readStream('vendor-2')), ids(events));
});

test('the leader that an error names replaces one that resigned', async ({ start, open }) => {
  const cluster = await start();
  const store = open(cluster.url);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  cluster.elect(1);
  await store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM);
  assert.is((await store.readStream('vendor-2')).length, 1);
});

test('when the leader resigns, each of many appends under way is written once', async ({ start, open }) => {
  const cluster = await start();
  const store = open(cluster.url);
  await store.head(null);
  const streams = Array.from({ length: 30 }, (_, index) => `vendor-${index}`);
  const appends = streams.map((stream, index) => {
    if (index === 15) cluster.elect(1);
    const events = makeEvents(stream);
    return retryUnavailable(() => store.append(stream, events, NO_STREAM));
  });
  const positions = await Promise.all(appends);
  assert.is(new Set(positions).size, streams.length);
  for (const stream of streams) assert.is(cluster.leader.fake.log.stream(stream)!.length, 1);
});

test('appendInOrder keeps the order when the leader resigns', async ({ start, open }) => {
  const cluster = await start();
  const store = open(cluster.url);
  await store.head(null);
  const batches = Array.from({ length: 30 }, (_, index) => {
    const stream = `vendor-${index}`;
    return { stream, events: makeEvents(stream), expectedRevision: NO_STREAM };
  });
  const appended = store.appendInOrder(batches);
  await untilTrue(() => cluster.leader.fake.appends.count > 0);
  cluster.elect(1);
  await appended;
  const stored = await take(() => store.readAll(null), batches.length);
  assert.equal(
    ids(stored),
    batches.flatMap(({ events }) => ids(events)),
  );
});

test('callers that lose their leader simultaneously share one search', async ({ start, open }) => {
  const cluster = await start();
  const store = open(cluster.url);
  await store.head(null);
  await cluster.killLeader();
  const streams = Array.from({ length: 40 }, (_, index) => `vendor-${index}`);
  const reads = streams.map((stream) => store.readStream(stream));
  await untilTrue(() => cluster.node(1).fake.connections() > 0);
  assert.ok(cluster.node(1).fake.connections() <= 2, 'no connection for each caller');
  cluster.elect(1);
  assert.is((await Promise.all(reads)).flat().length, 0);
  await untilTrue(() => cluster.node(2).fake.connections() === 0);
});

test('the search for a new leader uses the same TLS and user', async ({ start, open }) => {
  const cluster = await start(3, SECURED);
  const store = open(`${cluster.url.replace('p%40ss', 'p%2540ss')}&${CA}`);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  cluster.hangLeader();
  setTimeout(() => cluster.elect(2), 1000);
  const events = makeEvents('vendor-2');
  await retryUnavailable(() => store.append('vendor-2', events, NO_STREAM));
  assert.equal(ids(await store.readStream('vendor-2')), ids(events));
});

test('a single host that hangs gets a new connection, and no other address is probed', async ({ start, open }) => {
  const cluster = await start();
  const other = cluster.node(1).relay.port;
  const store = open(`esdb://127.0.0.1:${cluster.leader.relay.port}?tls=false`);
  const [event] = makeEvents('vendor-1') as [TrailEvent];
  await store.append('vendor-1', [event], NO_STREAM);
  cluster.hangLeader();
  assertUnavailable(await rejection(store.readStream('vendor-1')));
  assert.is(cluster.node(1).fake.connections(), 0, `no connection to port ${other}`);
  await cluster.leader.relay.disconnect();
  await cluster.leader.relay.restore();
  assert.equal(ids(await retryUnavailable(() => store.readStream('vendor-1'))), [event.id]);
});

test('the connection stays if a healthy node leaves an append unanswered', async ({ start, open }) => {
  const cluster = await start();
  const { fake } = cluster.leader;
  const store = open(cluster.url);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  const before = fake.connections();
  fake.faults.appends.push('never-answer');
  assertUnavailable(await rejection(store.append('vendor-2', makeEvents('vendor-2'), NO_STREAM)), { ambiguous: true });
  assert.is(fake.connections(), before);
});

test('an append that the server drops because its events are in flight is found in its stream', async ({
  start,
  open,
}) => {
  const cluster = await start();
  const [one, other] = [open(cluster.url), open(cluster.url)];
  await Promise.all([one.head(null), other.head(null)]);
  const events = makeEvents('vendor-1', { count: 3 });
  const stores = [one, other, one, other];
  const positions = await Promise.all(stores.map((store) => store.append('vendor-1', events, NO_STREAM)));
  assert.ok(cluster.leader.fake.appends.dropped > 0, 'the fake dropped one');
  assert.is(new Set(positions).size, 1);
  assert.is((await one.readStream('vendor-1')).length, 3);
});

test.run();
