import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { isDuplicate, translated } from './outage.ts';
import { Presence, SELECTION_MS } from './presence.ts';
import { watchOver } from './watch.ts';

const DEFAULT_DATABASE = 'veritrail';

/** A row as MongoDB keeps it: whatever its fields, its id is text. */
export interface MongoRow {
  _id: string;
  [field: string]: unknown;
}

export interface Connection {
  db: Db;
  /**
   * Does something with the server. @throws StoreUnavailable where the server is away, soon after it is; else what
   * the store's port names
   */
  reach<T>(work: () => Promise<T>): Promise<T>;
  /** The same for what may take its time, on a connection of its own that waits as long as the server lives. */
  patiently<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Ends what is under way, and lets go of the connections. */
  close(): Promise<void>;
}

/** What is acknowledged is on the disks of a majority, reads are the primary's, and every wait has an end. */
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

/** The driver's own end may wait for a server that says nothing. */
const CLOSE_MS = 2_000;

/** Connects to the server and database a URL names. */
export async function connect(url: string): Promise<Connection> {
  const client = await translated(() => MongoClient.connect(url, OPTIONS));
  const endWatch = watchOver(client);
  const name = databaseOf(url);
  const db = client.db(name);
  // The one command that a server answers without its engine, and without waiting for its turn.
  const presence = new Presence(() => db.command({ hello: 1 }));
  return {
    db,
    reach: (work) => presence.during(() => translated(work)),
    patiently: async (work) => {
      const patient = await translated(() => MongoClient.connect(url, { ...OPTIONS, socketTimeoutMS: 0 }));
      try {
        return await presence.during(() => translated(() => work(patient.db(name))));
      } finally {
        await close(patient);
      }
    },
    close: () => {
      endWatch();
      presence.end();
      return close(client);
    },
  };
}

async function close(client: MongoClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([client.close(), late]).finally(() => clearTimeout(timer));
}

function databaseOf(url: string): string {
  return /^[a-z+]+:\/\/[^/?]+\/([^/?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;
}

/** Does a write; answers false where its id or a unique value is taken. */
export async function unlessTaken(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
