import { mkdirSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountStore } from './account-store.ts';
import type { EventStore } from './event-store.ts';
import type { ReadStore } from './read-store.ts';

export interface Stores {
  events: EventStore;
  reads: ReadStore;
  accounts: AccountStore;
  /** Something is kept in the data folder, which admits one server only. */
  embedded: boolean;
  close(): Promise<void>;
}

export type StoreSettings = Pick<Config, 'dataDir' | 'eventStoreUrl' | 'mongodbUrl'>;

/**
 * Opens the three stores that the settings name. Each adapter is loaded only where it is used: an embedded start does
 * not wait for client libraries that it has no need of. Takes no lock: see lockDataFolder.
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const embedded = settings.eventStoreUrl === null || settings.mongodbUrl === null;
  if (embedded) mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  const close = async () => {
    for (const store of opened.splice(0).reverse()) await store.close();
  };
  try {
    const events = keep(await openEvents(settings));
    const reads = keep(await openReads(settings));
    const accounts = keep(await openAccounts(settings));
    return { events, reads, accounts, embedded, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

async function openEvents({ eventStoreUrl, dataDir }: StoreSettings): Promise<EventStore> {
  if (eventStoreUrl === null) return (await import('./sqlite/event-store.ts')).openSqliteEventStore(dataDir);
  return (await import('./eventstoredb/event-store.ts')).openEventStoreDb(eventStoreUrl);
}

async function openReads({ mongodbUrl, dataDir }: StoreSettings): Promise<ReadStore> {
  if (mongodbUrl === null) return (await import('./sqlite/read-store.ts')).openSqliteReadStore(dataDir);
  return (await import('./mongodb/read-store.ts')).openMongoReadStore(mongodbUrl);
}

async function openAccounts({ mongodbUrl, dataDir }: StoreSettings): Promise<AccountStore> {
  if (mongodbUrl === null) return (await import('./sqlite/account-store.ts')).openSqliteAccountStore(dataDir);
  return (await import('./mongodb/account-store.ts')).openMongoAccountStore(mongodbUrl);
}
