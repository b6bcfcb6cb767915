import { type Db, MongoClient, type MongoClientOptions, MongoError, MongoServerError } from 'mongodb';
import { StoreUnavailable } from '../errors.ts';
import { watchOver } from './watch.ts';

const DEFAULT_DATABASE = 'veritrail';

/** A row as MongoDB keeps it: whatever its fields, its id is text. */
export interface Row {
  _id: string;
  [field: string]: unknown;
}

export interface Connection {
  db: Db;
  /** Does something that may take its time, on a connection of its own that waits as long as the server lives. */
  patiently<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What is acknowledged is on the disks of a majority, reads are the primary's, and every wait has an end. */
const OPTIONS: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
  readPreference: 'primary',
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  heartbeatFrequencyMS: 3_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  ignoreUndefined: true,
};

/** Connects to the server and database a URL names. */
export async function connect(url: string): Promise<Connection> {
  const client = await reach(() => MongoClient.connect(url, OPTIONS));
  const endWatch = watchOver(client);
  const name = databaseOf(url);
  return {
    db: client.db(name),
    patiently: async (work) => {
      const patient = await MongoClient.connect(url, { ...OPTIONS, socketTimeoutMS: 0 });
      return work(patient.db(name)).finally(() => patient.close());
    },
    close: () => {
      endWatch();
      return client.close();
    },
  };
}

function databaseOf(url: string): string {
  return /^[a-z+]+:\/\/[^/?]+\/([^/?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;
}

/** Does something with the server; what fails because the server is away or too slow becomes StoreUnavailable. */
export async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Always ambiguous: the driver repeats what it can, and the last error says nothing about the first attempt.
    throw isOutage(error) ? new StoreUnavailable('the MongoDB store is away', true, { cause: error }) : error;
  }
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

function isDuplicate(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  // FerretDB 1 says so of an update in its backend's words only.
  return error.code === DUPLICATE_KEY || error.message.includes('UNIQUE constraint failed');
}

export const DUPLICATE_KEY = 11_000;

/** What a server answers when it steps down, shuts down, is too slow, cannot reach a majority, or its disk is full. */
const OUTAGE_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 24, 50, 64, 89, 91, 112, 189, 202, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_388, 13_435, 13_436, 14_031,
]);

/** Errors of the driver's own that mean the server, or the way to it, is gone. */
const OUTAGE_NAMES: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoWriteConcernError',
  'MongoOperationTimeoutError',
]);

function isOutage(error: unknown): error is MongoError {
  if (!(error instanceof MongoError)) return false;
  return OUTAGE_NAMES.has(error.name) || (error instanceof MongoServerError && OUTAGE_CODES.has(error.code));
}
