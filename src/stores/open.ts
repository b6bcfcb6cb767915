import { withTimeout } from '../clock/with-timeout.ts';
import { ConnectionStringError } from '../config/connection-string.ts';
import type { Config } from '../config.ts';
import type { AccountStore } from './account-store.ts';
import { attributeRows } from './attribute-rows.ts';
import { explainConnection } from './connection-fault.ts';
import { createDataFolder } from './data-folder.ts';
import { StoreUnavailable } from './errors.ts';
import type { EventStore } from './event-store.ts';
import type { ReadStore } from './read-store.ts';
import type { ReportingSchema, ReportingStore } from './reporting-store.ts';

export interface Stores {
  events: EventStore;
  reads: ReadStore;
  accounts: AccountStore;
  /** The data folder holds data, so only one server may run. */
  embedded: boolean;
  close(): Promise<void>;
}

/** A configured store can't be used. `message` names the setting, never its value, and says what to do. */
export class StoreNotReached extends Error {
  override readonly name = 'StoreNotReached';
  constructor(storeName: string, setting: string, cause: unknown) {
    const because = cause instanceof ConnectionStringError ? cause.message : explainConnection(cause);
    super(
      because === null
        ? `The ${storeName} that ${setting} names cannot be reached. See that it is running, and that address, user, password and tls are right in ${setting}.`
        : `The ${storeName} that ${setting} names cannot be used: ${because}.`,
      { cause },
    );
  }
}

/** A store that doesn't answer within this time counts as down. */
const STORE_TIMEOUT_MS = 10_000;

export type StoreSettings = Pick<Config, 'dataDir' | 'eventStoreUrl' | 'mongodbUrl'>;

/** Returns true if the data folder holds data. Only one server may use such a folder. */
export function usesDataFolder({ eventStoreUrl, mongodbUrl }: StoreSettings): boolean {
  return eventStoreUrl === null || mongodbUrl === null;
}

/**
 * Opens the three stores that the settings name. Loads only the adapters it needs, so an embedded start doesn't wait
 * for client libraries. Takes no lock: see lockDataFolder.
 * @throws StoreNotReached if a configured database doesn't answer
 * @throws DataFolderError if the data folder can't be used
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const embedded = usesDataFolder(settings);
  if (embedded) createDataFolder(settings.dataDir);
  return openTogether(async (keep) => {
    const logAndReads = await openLogAndReads(settings, keep);
    return { ...logAndReads, accounts: keep(await openAccounts(settings)), embedded };
  });
}

/** Opens the two stores that projections need, in a process that has opened all of them already. */
export function openProjectionStores(settings: StoreSettings): Promise<Pick<Stores, 'events' | 'reads' | 'close'>> {
  return openTogether((keep) => openLogAndReads(settings, keep));
}

/** Opens the stores from which the reporting database is made. */
export function openReportingSources(settings: StoreSettings): Promise<Pick<Stores, 'reads' | 'accounts' | 'close'>> {
  return openTogether(async (keep) => ({
    reads: keep(await openReads(settings)),
    accounts: keep(await openAccounts(settings)),
  }));
}

/** Opens the reporting database beside the read models. @param onMended called if it was damaged or deleted */
export async function openReportingStore(
  { mongodbUrl, reportsDir }: Pick<Config, 'mongodbUrl' | 'reportsDir'>,
  schema: ReportingSchema,
  onMended: (finding: string) => void,
): Promise<ReportingStore> {
  if (mongodbUrl === null) {
    const { openSqliteReportingStore } = await import('./sqlite/reporting-store.ts');
    return openSqliteReportingStore(reportsDir, schema, onMended);
  }
  const { openMongoReportingStore } = await import('./mongodb/reporting-store.ts');
  const { SqliteRowScratch } = await import('./sqlite/row-scratch.ts');
  return openMongoReportingStore(mongodbUrl, schema, (tables) => new SqliteRowScratch(tables), onMended);
}

type Keep = <T extends { close(): Promise<void> }>(store: T) => T;

/** Opens stores, and closes them together: in reverse order, and if one of them can't be opened. */
async function openTogether<T extends object>(
  open: (keep: Keep) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const openedStores: { close(): Promise<void> }[] = [];
  const keep: Keep = (store) => {
    openedStores.push(store);
    return store;
  };
  const close = async () => {
    for (const store of openedStores.splice(0).reverse()) await store.close();
  };
  try {
    return { ...(await open(keep)), close };
  } catch (error) {
    // A store that doesn't answer may take long to close. Don't wait for it.
    close().catch(() => undefined);
    throw error;
  }
}

async function openLogAndReads(settings: StoreSettings, keep: Keep): Promise<Pick<Stores, 'events' | 'reads'>> {
  const events = keep(attributeRows(await openEvents(settings)));
  if (settings.eventStoreUrl !== null) await withStartTimeout('event store', 'EVENTSTORE_URL', () => events.check());
  return { events, reads: keep(await openReads(settings)) };
}

/** The client's message is the cause only, because it may contain parts of an address. */
async function withStartTimeout<T>(storeName: string, setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(STORE_TIMEOUT_MS, work(), () => {
      throw new StoreUnavailable(`no answer in ${STORE_TIMEOUT_MS} ms`);
    });
  } catch (error) {
    throw new StoreNotReached(storeName, setting, error);
  }
}

async function openEvents({ eventStoreUrl, dataDir }: StoreSettings): Promise<EventStore> {
  if (eventStoreUrl === null) return (await import('./sqlite/event-store.ts')).openSqliteEventStore(dataDir);
  const { openEventStoreDb } = await import('./eventstoredb/event-store.ts');
  return withStartTimeout('event store', 'EVENTSTORE_URL', async () => openEventStoreDb(eventStoreUrl));
}

async function openReads({ mongodbUrl, dataDir }: StoreSettings): Promise<ReadStore> {
  if (mongodbUrl === null) return (await import('./sqlite/read-store.ts')).openSqliteReadStore(dataDir);
  const { openMongoReadStore } = await import('./mongodb/read-store.ts');
  return withStartTimeout('MongoDB', 'MONGODB_URL', () => openMongoReadStore(mongodbUrl));
}

async function openAccounts({ mongodbUrl, dataDir }: StoreSettings): Promise<AccountStore> {
  if (mongodbUrl === null) return (await import('./sqlite/account-store.ts')).openSqliteAccountStore(dataDir);
  const { openMongoAccountStore } = await import('./mongodb/account-store.ts');
  return withStartTimeout('MongoDB', 'MONGODB_URL', () => openMongoAccountStore(mongodbUrl));
}
