import { setTimeout } from 'node:timers/promises';
import { startEventStore } from './event-store-server.ts';
import { startMongo } from './mongodb.ts';
import { embeddedPair, type Pair } from './pairs.ts';
import { Relay } from './relay.ts';
import { type Outage, type Recovery, runOutage } from './run-outage.ts';

/** EventStoreDB and MongoDB behind relays that can be cut. */
export interface RelayedPair {
  pair: Pair;
  toEventStore: Relay;
  toMongo: Relay;
}

/** Returns null without a MongoDB; startMongo prints that. */
export async function startRelayedPair(): Promise<RelayedPair | null> {
  const mongo = await startMongo();
  if (mongo === null) return null;
  const events = await startEventStore();
  const { hostname, port, pathname, search } = new URL(mongo.url);
  const toEventStore = await Relay.to(events.port);
  const toMongo = await Relay.to(Number(port || 27_017), hostname);
  const folder = embeddedPair();
  const env = {
    ...folder.env,
    EVENTSTORE_URL: `esdb://127.0.0.1:${toEventStore.port}?tls=false`,
    MONGODB_URL: `mongodb://127.0.0.1:${toMongo.port}${pathname}${search}`,
  };
  const close = async () => {
    await toEventStore.disconnect();
    await toMongo.disconnect();
    await mongo.close();
    await events.close();
    await folder.close();
  };
  return { pair: { name: `${events.name} and ${mongo.name}`, env, close }, toEventStore, toMongo };
}

export type Store = 'EventStoreDB' | 'MongoDB';

/**
 * Runs an outage of one store, and prolongs it by `lastingMs` after the service has noticed it. With `disconnect`, connections
 * break; with `stall`, they stay open and pass on nothing.
 */
export async function runOutageOf(
  store: Store,
  fault: 'disconnect' | 'stall',
  lastingMs = 0,
): Promise<Recovery | null> {
  const relays = await startRelayedPair();
  if (relays === null) return null;
  const way = store === 'MongoDB' ? relays.toMongo : relays.toEventStore;
  const outage: Outage = {
    store: store === 'MongoDB' ? 'read_store' : 'event_store',
    begin: async () => way[fault](),
    end: async () => {
      await setTimeout(lastingMs);
      await way.disconnect();
      await way.restore();
    },
  };
  const recovery = await runOutage(relays.pair, outage);
  await relays.pair.close();
  return recovery;
}
