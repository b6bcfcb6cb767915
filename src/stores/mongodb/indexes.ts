import { type Collection, type IndexDescription, MongoServerError } from 'mongodb';
import type { MongoRow } from './client.ts';

/** An index. Its name contains its fields, so an existing one of that name is the same index. */
export type MongoIndex = IndexDescription & { name: string };

export function indexOver(fields: readonly string[], options: { unique?: true } = {}): MongoIndex {
  const name = [...(options.unique ? ['unique'] : []), ...fields].join(' ');
  return { key: Object.fromEntries(fields.map((field) => [field, 1])), name, ...options };
}

/** Creates missing indexes in one command, so that the server reads the collection once. */
export async function makeIndexes<T extends MongoRow>(collection: Collection<T>, indexes: readonly MongoIndex[]) {
  const existingNames = new Set(await indexNames(collection));
  const missingIndexes = indexes.filter((index) => !existingNames.has(index.name));
  if (missingIndexes.length > 0) await collection.createIndexes(missingIndexes);
}

/** Returns the names of existing indexes. A collection without documents has none. */
async function indexNames<T extends MongoRow>(collection: Collection<T>): Promise<string[]> {
  try {
    return (await collection.listIndexes().toArray()).map((index) => String(index.name));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
    throw error;
  }
}

const NAMESPACE_NOT_FOUND = 26;
