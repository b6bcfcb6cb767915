import type { Collection } from 'mongodb';
import type { CollectionSpec, ReadModels, ReadStore, SharedEntry } from '../read-store.ts';
import { connect, type MongoConnection, type MongoRow, writeUnlessTaken } from './client.ts';
import type { OnCommitStep } from './journal.ts';
import { collectionName, MongoReadModels } from './read-models.ts';

export interface MongoReadStoreOptions {
  /** Called after each step of each commit; tests stop or delay a commit there. */
  onStep?: OnCommitStep;
}

/**
 * The read store in MongoDB, in the database the URL names (`veritrail` if the URL names none).
 * @throws StoreUnavailable when no server answers there
 */
export async function openMongoReadStore(url: string, options: MongoReadStoreOptions = {}): Promise<ReadStore> {
  return new MongoReadStore(await connect(url), options.onStep ?? (() => undefined));
}

/** An entry's value is stored as JSON text, so that any field names come back unchanged. */
interface EntryRow extends MongoRow {
  version: number;
  json: string;
}

class MongoReadStore implements ReadStore {
  readonly #generations: Collection<MongoRow>;
  readonly #entries: Collection<EntryRow>;

  constructor(
    private readonly connection: MongoConnection,
    private readonly onStep: OnCommitStep,
  ) {
    this.#generations = connection.db.collection('_generations');
    this.#entries = connection.db.collection('_register');
  }

  async open(generation: string, collections: readonly CollectionSpec[]): Promise<ReadModels> {
    await this.connection.run(() =>
      writeUnlessTaken(() => this.#generations.insertOne({ _id: generation }).then(() => true)),
    );
    return new MongoReadModels(this.connection, generation, collections, this.onStep);
  }

  drop(generation: string): Promise<void> {
    const { db } = this.connection;
    return this.connection.run(async () => {
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
