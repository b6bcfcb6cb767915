import { mkdirSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountStore } from './account-store.ts';
import { explainConnection } from './connection-fault.ts';
import { StoreUnavailable } from './errors.ts';
import type { EventStore } from './event-store.ts';
import { ConnectionStringError } from './eventstoredb/connection-string.ts';
import type { ReadStore } from './read-store.ts';

export interface Stores {
  events: EventStore;
  reads: ReadStore;
  accounts: AccountStore;
  /** Something is kept in the data folder, which admits one server only. */
  embedded: boolean;
  close(): Promise<void>;
}

/** A store that a setting names cannot be used. `message` names the setting, never its value, and says what to do. */
export class StoreNotReached extends Error {
  override readonly name = 'StoreNotReached';
  constructor(what: string, setting: string, cause: unknown) {
    const because = cause instanceof ConnectionStringError ? cause.message : explainConnection(cause);
    super(
      because === null
        ? `The ${what} that ${setting} names cannot be reached. See that it is running, and that address, user, password and tls are right in ${setting}.`
        : `The ${what} that ${setting} names cannot be used: ${because}.`,
      { cause },
    );
  }
}

/** A store that says nothing for so long is not there. */
const PATIENCE_MS = 10_000;

export type StoreSettings = Pick<Config, 'dataDir' | 'eventStoreUrl' | 'mongodbUrl'>;

/** Whether anything is kept in the data folder, which one process at a time may serve. */
export function usesDataFolder({ eventStoreUrl, mongodbUrl }: StoreSettings): boolean {
  return eventStoreUrl === null || mongodbUrl === null;
}

/**
 * Opens the three stores that the settings name. Each adapter is loaded only where it is used: an embedded start does
 * not wait for client libraries that it has no need of. Takes no lock: see lockDataFolder.
 * @throws StoreNotReached soon, where a database that is named does not answer
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const embedded = usesDataFolder(settings);
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
    if (settings.eventStoreUrl !== null) await reached('event store', 'EVENTSTORE_URL', () => events.head());
    const reads = keep(await openReads(settings));
    const accounts = keep(await openAccounts(settings));
    return { events, reads, accounts, embedded, close };
  } catch (error) {
    // What does not answer may take long to close, too: nobody waits for that.
    close().catch(() => undefined);
    throw error;
  }
}

/** The clients' own words are kept as the cause only: they may repeat parts of an address. */
async function reached<T>(what: string, setting: string, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw new StoreNotReached(what, setting, error);
  } finally {
    clearTimeout(timer);
  }
}

async function openEvents({ eventStoreUrl, dataDir }: StoreSettings): Promise<EventStore> {
  if (eventStoreUrl === null) return (await import('./sqlite/event-store.ts')).openSqliteEventStore(dataDir);
  const { openEventStoreDb } = await import('./eventstoredb/event-store.ts');
  return reached('event store', 'EVENTSTORE_URL', async () => openEventStoreDb(eventStoreUrl));
}

async function openReads({ mongodbUrl, dataDir }: StoreSettings): Promise<ReadStore> {
  if (mongodbUrl === null) return (await import('./sqlite/read-store.ts')).openSqliteReadStore(dataDir);
  const { openMongoReadStore } = await import('./mongodb/read-store.ts');
  return reached('MongoDB', 'MONGODB_URL', () => openMongoReadStore(mongodbUrl));
}

async function openAccounts({ mongodbUrl, dataDir }: StoreSettings): Promise<AccountStore> {
  if (mongodbUrl === null) return (await import('./sqlite/account-store.ts')).openSqliteAccountStore(dataDir);
  const { openMongoAccountStore } = await import('./mongodb/account-store.ts');
  return reached('MongoDB', 'MONGODB_URL', () => openMongoAccountStore(mongodbUrl));
}
