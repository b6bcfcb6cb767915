import { BSON, MongoBulkWriteError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { Fenced, StoreRefused, StoreUnavailable, TooLarge } from '../errors.ts';

/**
 * Runs a call to the server. Rethrows the port's errors and bugs of this program unchanged. Reports every other error
 * as an outage, because drivers and servers have too many error types to list.
 * @throws StoreUnavailable for an outage, StoreRefused for a missing right or wrong credentials
 */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPortError(error) || isProgramError(error)) throw error;
    const refusal = findRefusal(error);
    if (refusal !== null) throw refusal;
    // Always ambiguous: the driver retries by itself, and the last error says nothing about the first attempt.
    throw new StoreUnavailable('the MongoDB store is down', true, { cause: error });
  }
}

const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

/** Returns the error for a call that the server refuses for good, and so has not begun; null for another failure. */
function findRefusal(error: unknown): StoreRefused | null {
  if (!(error instanceof MongoServerError)) return null;
  const advice = 'Correct the user in MONGODB_URL, or give it the role readWrite in its database.';
  switch (error.code) {
    case UNAUTHORIZED:
      return new StoreRefused('The service has no right to do this in MongoDB.', advice, { cause: error });
    case AUTHENTICATION_FAILED:
      return new StoreRefused("MongoDB refuses the service's user or password.", advice, { cause: error });
    default:
      return null;
  }
}

export const DUPLICATE_KEY = 11_000;

/** Returns true if a write was refused because its id or a unique value is taken. */
export function isDuplicate(error: unknown): boolean {
  // In a bulk write, one duplicate says nothing about the other writes.
  if (!(error instanceof MongoServerError) || error instanceof MongoBulkWriteError) return false;
  // For an update, FerretDB 1 reports a duplicate only in the text of its backend's message.
  return error.code === DUPLICATE_KEY || error.message.includes('UNIQUE constraint failed');
}

function isPortError(error: unknown): boolean {
  return [StoreUnavailable, TooLarge, Fenced].some((kind) => error instanceof kind) || isDuplicate(error);
}

/** Error classes that only a bug of this program throws. */
const PROGRAM_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError, BSON.BSONError, MongoInvalidArgumentError];

function isProgramError(error: unknown): boolean {
  return PROGRAM_ERRORS.some((kind) => error instanceof kind);
}
