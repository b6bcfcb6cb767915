import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { withTimeout } from '../../clock/with-timeout.ts';
import { Presence, SELECTION_MS } from './presence.ts';
import { isDuplicate, translateErrors } from './translate-errors.ts';
import { watchOver } from './watch.ts';

const DEFAULT_DATABASE = 'veritrail';

/** A stored MongoDB document. Its id is a text. */
export interface MongoRow {
  _id: string;
  [field: string]: unknown;
}

export interface MongoConnection {
  db: Db;
  /**
   * Runs work on the server. Throws the errors of the store's port.
   * @throws StoreUnavailable within about a second after the server goes down
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs long work, on a separate connection without a time limit while the server is up. */
  runLongWork<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Ends running work and closes the connections. */
  close(): Promise<void>;
}

/** A write is acknowledged when a majority has it on disk. Reads go to the primary. Every wait has a limit. */
const OPTIONS: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
  readPreference: 'primary',
  serverSelectionTimeoutMS: SELECTION_MS,
  connectTimeoutMS: 2_000,
  heartbeatFrequencyMS: 3_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  ignoreUndefined: true,
};

/** Limit for closing the driver, which may wait for a server that doesn't answer. */
const CLOSE_MS = 2_000;

/** Connects to the server of a URL, and to its database or the one whose name has a suffix. */
export async function connect(url: string, databaseSuffix = ''): Promise<MongoConnection> {
  const client = await translateErrors(() => MongoClient.connect(url, OPTIONS));
  const endWatch = watchOver(client);
  const name = databaseOf(url) + databaseSuffix;
  const db = client.db(name);
  // `hello` is the only command that a server answers without its storage engine and without queueing.
  const presence = new Presence(() => db.command({ hello: 1 }));
  return {
    db,
    run: (work) => presence.during(() => translateErrors(work)),
    runLongWork: async (work) => {
      const longRunning = await translateErrors(() => MongoClient.connect(url, { ...OPTIONS, socketTimeoutMS: 0 }));
      try {
        return await presence.during(() => translateErrors(() => work(longRunning.db(name))));
      } finally {
        await close(longRunning);
      }
    },
    close: () => {
      endWatch();
      presence.end();
      return close(client);
    },
  };
}

function close(client: MongoClient): Promise<void> {
  return withTimeout(CLOSE_MS, client.close(), () => undefined);
}

function databaseOf(url: string): string {
  return /^[a-z+]+:\/\/[^/?]+\/([^/?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;
}

/** Runs a write. Returns false if its id or a unique value is taken. */
export async function writeUnlessTaken(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
