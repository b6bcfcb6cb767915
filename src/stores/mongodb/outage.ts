import { BSON, MongoBulkWriteError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { Fenced, StoreUnavailable, TooLarge } from '../errors.ts';

/**
 * Does something with the server. What it throws is the port's own, a fault of this program, or an outage: drivers and
 * servers have too many words for those (plain errors of a socket, codes of an engine behind the server) to list them.
 * @throws StoreUnavailable for an outage
 */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isOfPort(error) || isOurFault(error)) throw error;
    // Always ambiguous: the driver repeats what it can, and the last error says nothing about the first attempt.
    throw new StoreUnavailable('the MongoDB store is away', true, { cause: error });
  }
}

export const DUPLICATE_KEY = 11_000;

/** Tells whether a write was refused because its id or a unique value is taken. */
export function isDuplicate(error: unknown): boolean {
  // One write that was a duplicate says nothing about the others.
  if (!(error instanceof MongoServerError) || error instanceof MongoBulkWriteError) return false;
  // FerretDB 1 says so of an update in its backend's words only.
  return error.code === DUPLICATE_KEY || error.message.includes('UNIQUE constraint failed');
}

/** Tells whether an error is what the store's port says that it may answer. */
function isOfPort(error: unknown): boolean {
  return [StoreUnavailable, TooLarge, Fenced].some((kind) => error instanceof kind) || isDuplicate(error);
}

/** Errors that only wrong code on this side of the wire throws. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError, BSON.BSONError, MongoInvalidArgumentError];

function isOurFault(error: unknown): boolean {
  return FAULTS.some((kind) => error instanceof kind);
}
