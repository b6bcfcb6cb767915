import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStore, NO_STREAM } from '../../../src/stores/event-store.ts';
import { openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { FakeCluster } from '../../support/fake-eventstoredb/nodes.ts';
import { startFakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take, untilTrue } from '../../support/run/take.ts';
import { assertUnavailable, ids } from '../../support/stores/eventstoredb.ts';

/** Clusters without a leader, and the cost of searching for one. */
interface Context {
  cluster: FakeCluster;
  open(url: string): EventStore;
  cleanup: (() => unknown)[];
}

const test = suite<Context>('elections of EventStoreDB');

test.before.each(async (context) => {
  const cluster = await FakeCluster.start();
  const cleanup: Context['cleanup'] = [() => cluster.close()];
  const open = (url: string) => {
    const store = openEventStoreDb(url);
    cleanup.unshift(() => store.close());
    return store;
  };
  Object.assign(context, { cluster, open, cleanup });
});
test.after.each(async ({ cleanup }) => {
  for (const cleanUp of cleanup) await cleanUp();
});

for (const answer of ['NOT_READY', 'NO_LEADER'] as const) {
  test(`calls wait while nodes answer ${answer}, and the next leader serves them`, async ({ cluster, open }) => {
    const store = open(cluster.url);
    await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
    cluster.removeLeader(answer);
    const events = makeEvents('vendor-2');
    const calls = Promise.all([
      store.append('vendor-2', events, NO_STREAM),
      store.readStream('vendor-1'),
      store.head(null),
      take(() => store.readAll(null), 1),
    ]);
    await untilTrue(() => cluster.node(2).fake.connections() > 0);
    cluster.elect(2);
    const [, read] = await calls;
    assert.is(read.length, 1);
    assert.equal(ids(await store.readStream('vendor-2')), ids(events));
    assert.is(cluster.leader.fake.appends.count, 1, 'no write reached a node that refused it');
  });

  test(`a new store waits for the election while nodes answer ${answer}`, async ({ cluster, open }) => {
    cluster.removeLeader(answer);
    await cluster.node(0).relay.disconnect();
    const head = open(cluster.url).head(null);
    await untilTrue(() => cluster.node(1).fake.connections() > 0);
    cluster.elect(1);
    assert.is((await head).newest, null);
  });
}

test('calls wait for a new leader even if an old subscription noticed the loss', async ({ cluster, open }) => {
  const store = open(cluster.url);
  const [event] = makeEvents('vendor-1') as [TrailEvent];
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  const subscribed = take((signal) => store.subscribeAll(null, signal), 1);
  await untilTrue(() => cluster.leader.fake.faults.subscribers === 1).finally(() => {
    Date.now = now;
  });
  await untilTrue(() => cluster.node(1).fake.connections() === 0);
  await cluster.killLeader();
  await untilTrue(() => cluster.node(1).fake.connections() > 0);
  const read = store.readStream('vendor-1');
  setTimeout(() => cluster.elect(1), 2_500);
  assert.equal(await read, []);
  await store.append('vendor-1', [event], NO_STREAM);
  assert.equal(ids(await subscribed), [event.id]);
});

test('after many changes of the leader, one connection is open', async ({ cluster, open }) => {
  const store = open(cluster.url);
  const stop = new AbortController();
  const received: string[] = [];
  const follow = async () => {
    for await (const batch of store.subscribeAll(null, stop.signal)) received.push(...ids(batch));
  };
  const following = follow();
  const events = Array.from({ length: 40 }, (_, index) => makeEvents(`vendor-${index}`)[0]!);
  for (const [index, event] of events.entries()) {
    await store.append(event.stream, [event], NO_STREAM);
    cluster.elect((index + 1) % 3);
  }
  await store.head(null);
  await untilTrue(() => received.length === events.length);
  assert.equal(received, ids(events));
  await untilTrue(() => cluster.connections() === 1);
  stop.abort();
  await following;
});

test('a store that is closed during an election closes all its connections', async ({ cluster, open }) => {
  const store = open(cluster.url);
  await store.head(null);
  cluster.removeLeader('NOT_READY');
  const read = rejection(store.readStream('vendor-1'));
  await untilTrue(() => cluster.node(1).fake.connections() > 0);
  await store.close();
  cluster.elect(1);
  assertUnavailable(await read);
  await untilTrue(() => cluster.connections() === 0);
});

test('a call to a busy leader is repeated after a pause', async ({ cluster, open }) => {
  const store = open(cluster.url);
  await store.head(null);
  const { reads } = cluster.leader.fake.faults;
  reads.push(...Array.from({ length: 1000 }, () => 'busy' as const));
  const read = store.readStream('vendor-1');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.ok(reads.length >= 980, `${1000 - reads.length} calls in 1000 ms`);
  reads.length = 0;
  assert.equal(await read, []);
});

for (const tls of [false, true]) {
  test(`searches leave no socket open to a node that hangs${tls ? ', with TLS' : ''}`, async ({ open, cleanup }) => {
    const sockets = new Set<Socket>();
    // Accepts connections, never answers, and never closes one.
    const hung = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
      // Sending fails once the other side is closed.
      const send = () => {
        if (socket.destroyed) return;
        socket.write('x');
        setTimeout(send, 20);
      };
      socket.on('data', () => undefined).on('end', send);
    }).listen(0, '127.0.0.1');
    await once(hung, 'listening');
    cleanup.push(() => hung.close());
    const store = open(`esdb://127.0.0.1:${(hung.address() as AddressInfo).port}?tls=${tls}`);
    for (let search = 0; search < 2; search += 1) assertUnavailable(await rejection(store.head(null)));
    await untilTrue(() => sockets.size === 0).finally(() => {
      for (const socket of sockets) socket.destroy();
    });
  });
}

test('esdb+discover:// resolves its host again when all members of the last gossip are gone', async ({
  cluster,
  open,
  cleanup,
}) => {
  let port = cluster.leader.relay.port;
  const seed = await startFakeEventStoreDb({ members: () => [{ address: '127.0.0.1', port, isLeader: true }] });
  const other = await startFakeEventStoreDb({ log: cluster.leader.fake.log });
  cleanup.push(
    () => seed.close(),
    () => other.close(),
  );
  const store = open(`esdb+discover://localhost:${seed.port}?tls=false`);
  await store.append('vendor-1', makeEvents('vendor-1'), NO_STREAM);
  await cluster.killLeader();
  port = other.port;
  assert.is((await store.readStream('vendor-1')).length, 1);
  await untilTrue(() => seed.connections() === 0 && other.connections() === 1);
});

test('a search probes at most 32 of the addresses in gossip', async ({ open, cleanup }) => {
  const members = Array.from({ length: 900 }, (_, index) => ({
    address: '127.0.0.1',
    port: 1 + index,
    isLeader: true,
  }));
  const bogus = [{ address: 'unix:/tmp/socket', port: 1, isLeader: true }, ...members];
  const liar = await startFakeEventStoreDb({ members: () => bogus });
  cleanup.push(() => liar.close());
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  subscribe('net.client.socket', count);
  assertUnavailable(await rejection(open(`esdb+discover://127.0.0.1:${liar.port}?tls=false`).head(null)));
  unsubscribe('net.client.socket', count);
  assert.ok(connections > 1 && connections < 50, `${connections} connections`);
});

test.run();
