import type { AccountStore } from '../../stores/account-store.ts';
import { decorateEventStore } from '../../stores/decorate-event-store.ts';
import { StoreUnavailable } from '../../stores/errors.ts';
import type { EventStore, StorePosition, StreamBatch } from '../../stores/event-store.ts';
import type { StoreSettings, Stores } from '../../stores/open.ts';
import type { ThreadLog } from './messages.ts';
import { ServiceThread } from './service-thread.ts';
import { startProgram } from './start-program.ts';
import { toStoreError } from './store-errors.ts';
import { ACCOUNT_WRITES, type WriteMessages, type WriteThreadSettings } from './write-messages.ts';

/**
 * Returns stores whose embedded log and accounts are written in a thread. A commit waits for the disk, and on a slow one
 * that takes long: in the main thread every request would stand still meanwhile. Reads stay in the main thread.
 */
export function writeInThread(stores: Stores, settings: StoreSettings, log: ThreadLog): Stores {
  if (!stores.embedded) return stores;
  const events = settings.eventStoreUrl === null;
  const accounts = settings.mongodbUrl === null;
  const threadSettings: WriteThreadSettings = { dataDir: settings.dataDir, isEmbedded: { events, accounts } };
  const thread = new ServiceThread<WriteMessages>({
    name: 'writes',
    start: () => startProgram('write-thread', threadSettings),
    log,
    onNotice: () => undefined,
  });
  thread.start();
  const write = async (request: WriteMessages['request']): Promise<unknown> => {
    const answer = await thread.request(request).catch((cause: unknown) => {
      throw new StoreUnavailable('the thread that writes ended before it answered', true, { cause });
    });
    if ('error' in answer) throw toStoreError(answer.error);
    return answer.value;
  };
  return {
    ...stores,
    events: events ? appendingBy(stores.events, write) : stores.events,
    accounts: accounts ? writingBy(stores.accounts, write) : stores.accounts,
    async close() {
      await thread.stop();
      await stores.close();
    },
  };
}

type Write = (request: WriteMessages['request']) => Promise<unknown>;

function appendingBy(events: EventStore, write: Write): EventStore {
  const append = (batch: StreamBatch) => write({ append: batch }) as Promise<StorePosition>;
  return decorateEventStore(events, {
    append: (stream, newEvents, expectedRevision, decidedAt, condition) =>
      append({ stream, events: newEvents, expectedRevision, decidedAt, condition }),
    appendInOrder: (batches) => Promise.all(batches.map(append)),
  });
}

function writingBy(accounts: AccountStore, write: Write): AccountStore {
  const writes = ACCOUNT_WRITES.map((method) => [method, (...args: unknown[]) => write({ method, args })]);
  return {
    get: (table, id) => accounts.get(table, id),
    find: (...args) => accounts.find(...args),
    page: (...args) => accounts.page(...args),
    all: (table) => accounts.all(table),
    check: () => accounts.check(),
    close: () => accounts.close(),
    ...(Object.fromEntries(writes) as Pick<AccountStore, (typeof ACCOUNT_WRITES)[number]>),
  };
}
