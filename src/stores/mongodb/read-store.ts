import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { CollectionSpec, ReadModels, ReadStore, SharedEntry } from '../read-store.ts';
import { connect, type MongoConnection, type MongoRow, writeUnlessTaken } from './client.ts';
import type { OnCommitStep } from './journal.ts';
import { collectionName, MongoReadModels } from './read-models.ts';

export interface MongoReadStoreOptions {
  /** Called after each step of each commit; tests stop or delay a commit there. */
  onStep?: OnCommitStep;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

/**
 * The read store in MongoDB, in the database the URL names (`veritrail` if the URL names none).
 * @throws StoreUnavailable when no server answers there
 */
export async function openMongoReadStore(url: string, options: MongoReadStoreOptions = {}): Promise<ReadStore> {
  return new MongoReadStore(await connect(url), { onStep: () => undefined, now: monotonicMs, ...options });
}

/** An entry's value is stored as JSON text, so that any field names come back unchanged. */
interface EntryRow extends MongoRow {
  version: number;
  json: string;
}

interface GenerationRow extends MongoRow {
  /** Tells a generation from an earlier one with its name. Null while it is being dropped. */
  creation: string | null;
}

class MongoReadStore implements ReadStore {
  readonly #generations: Collection<GenerationRow>;
  readonly #entries: Collection<EntryRow>;

  constructor(
    private readonly connection: MongoConnection,
    private readonly options: Required<MongoReadStoreOptions>,
  ) {
    this.#generations = connection.db.collection('_generations');
    this.#entries = connection.db.collection('_register');
  }

  async open(generation: string, collections: readonly CollectionSpec[]): Promise<ReadModels> {
    const creation = await this.connection.run(async () => {
      const row = { _id: generation, creation: randomUUID() };
      const isNew = await writeUnlessTaken(() => this.#generations.insertOne(row).then(() => true));
      return isNew ? row.creation : ((await this.#generations.findOne({ _id: generation }))?.creation ?? null);
    });
    const isDropped = async () => (await this.#generations.findOne({ _id: generation, creation })) === null;
    return new MongoReadModels(this.connection, generation, collections, { ...this.options, isDropped });
  }

  drop(generation: string): Promise<void> {
    const { db } = this.connection;
    return this.connection.run(async () => {
      // First, so that whoever reads a collection after it is gone learns why.
      await this.#generations.updateOne({ _id: generation }, { $set: { creation: null } });
      for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
        const end = collectionName('', generation);
        if (name.endsWith(end) && !name.slice(0, -end.length).includes('__')) await db.dropCollection(name);
      }
      // Last, so that an interrupted drop is still visible and can be repeated.
      await this.#generations.deleteOne({ _id: generation });
    });
  }

  generations(): Promise<string[]> {
    return this.connection.run(async () => (await this.#generations.find().toArray()).map((row) => row._id));
  }

  sharedEntry<T>(name: string): Promise<SharedEntry<T> | null> {
    return this.connection.run(async () => {
      const row = await this.#entries.findOne({ _id: name });
      return row && { value: JSON.parse(row.json) as T, version: row.version };
    });
  }

  compareAndSet(name: string, version: number, value: unknown): Promise<boolean> {
    const next = { version: version + 1, json: JSON.stringify(value) };
    return this.connection.run(async () => {
      if (version > 0) {
        return (await this.#entries.updateOne({ _id: name, version }, { $set: next })).matchedCount === 1;
      }
      return writeUnlessTaken(() => this.#entries.insertOne({ _id: name, ...next }).then(() => true));
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
