import { openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import { type EventStoreFixture, eventStoreContract } from '../../contract/event-store.ts';
import { startFakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';
import { hasRealEventStore, startEventStore } from '../../support/stores/event-store-server.ts';

async function createFixture(url: string, stop: () => Promise<void>): Promise<EventStoreFixture> {
  const opened = [openEventStoreDb(url)];
  return {
    store: opened[0]!,
    async reopen() {
      const store = openEventStoreDb(url);
      opened.push(store);
      return store;
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await stop();
    },
  };
}

/** A position of an old log, larger than a JavaScript number can hold exactly. */
const LATE = 2n ** 62n;

eventStoreContract('EventStoreDB (fake)', async () => {
  const fake = await startFakeEventStoreDb({ firstPosition: LATE });
  return createFixture(fake.url, () => fake.close());
});

const { EVENTSTORE_URL } = process.env;
if (EVENTSTORE_URL) {
  eventStoreContract('EventStoreDB (EVENTSTORE_URL)', () => createFixture(EVENTSTORE_URL, async () => undefined));
}
if (hasRealEventStore) {
  // All tests share one server, which ends with this process. Each reads its own events only.
  const server = await startEventStore();
  eventStoreContract('EventStoreDB (EVENTSTORE_COMMAND)', () => createFixture(server.url, async () => undefined));
}
