import type { Collection, Db } from 'mongodb';
import { StoreUnavailable } from '../errors.ts';
import type {
  Checkpoint,
  CollectionSpec,
  Commit,
  Count,
  CountQuery,
  DocumentQuery,
  MatchingDocument,
  ReadModels,
  Scalar,
} from '../read-store.ts';
import type { MongoConnection } from './client.ts';
import { type DocumentRow, toMatchingDocument, toRow, UNREAD } from './document.ts';
import { makeIndexes } from './indexes.ts';
import { Journal, type OnCommitStep } from './journal.ts';
import { segmentsAfter, toCount, toFilter, toIndexes, toSort } from './query.ts';
import { RowWriter } from './row-writer.ts';

/** Returns the name of a generation's collection in the database. */
export const collectionName = (collection: string, generation: string) => `${collection}__${generation}`;

/**
 * An empty answer is believed for this long after the generation was seen to exist. A generation that an instance served a
 * moment ago is dropped much later, except if the instance stood still.
 */
const EXISTENCE_MS = 10_000;

export interface MongoReadModelsOptions {
  onStep: OnCommitStep;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
  /** Asks the server whether this generation was dropped. */
  isDropped: () => Promise<boolean>;
}

/** One generation of read models in MongoDB. */
export class MongoReadModels implements ReadModels {
  readonly #journal: Journal;
  readonly #rowWriter: RowWriter;
  readonly #specs: ReadonlyMap<string, CollectionSpec>;
  #seenAt: number;

  constructor(
    private readonly connection: MongoConnection,
    readonly generation: string,
    specs: readonly CollectionSpec[],
    private readonly options: MongoReadModelsOptions,
  ) {
    this.#seenAt = options.now();
    this.#rowWriter = new RowWriter(connection.db);
    this.#journal = new Journal(connection.db, generation, this.#rowWriter, options.onStep);
    this.#specs = new Map(specs.map((spec) => [spec.name, spec]));
  }

  find(query: DocumentQuery): Promise<MatchingDocument[]> {
    const filter = toFilter(query.organizationId, query.where);
    const collection = this.#collection(query.collection);
    const read = (segment: object, limit: number) =>
      collection
        .find({ $and: [...filter, segment] }, { projection: UNREAD })
        .sort(toSort(query.order))
        .limit(limit)
        .toArray();
    return this.connection.run(async () => {
      const page: MatchingDocument[] = [];
      for (const segment of segmentsAfter(query.order, query.after)) {
        const missingCount = query.limit - page.length;
        // For MongoDB a limit of 0 means no limit.
        if (missingCount <= 0) break;
        for (const row of await read(segment, missingCount)) page.push(toMatchingDocument(row, query.order.key));
      }
      if (page.length === 0) await this.#confirmEmpty();
      return page;
    });
  }

  count(query: CountQuery, by: readonly string[] = []): Promise<Count[]> {
    const stages = toCount(toFilter(query.organizationId, query.where), by, query.limit);
    return this.connection.run(async () => {
      const answer = this.#collection(query.collection).aggregate<Counted>(stages);
      const counts = (await answer.toArray()).map(({ _id, total }) => ({
        values: by.map((_key, index) => _id?.[`k${index}`] ?? null),
        total,
      }));
      if (counts.length === 0) await this.#confirmEmpty();
      return counts.length === 0 && by.length === 0 ? [{ values: [], total: 0 }] : counts;
    });
  }

  countDistinct(query: CountQuery, key: string): Promise<number> {
    const { organizationId, where, limit } = query;
    const stages = [
      ...toCount(toFilter(organizationId, [...where, { key, op: 'present' }]), [key]),
      ...(limit === undefined ? [] : [{ $limit: limit }]),
      { $group: { _id: null, total: { $sum: 1 } } },
    ];
    return this.connection.run(async () => {
      const [answer] = await this.#collection(query.collection).aggregate<Counted>(stages).toArray();
      if (answer === undefined) await this.#confirmEmpty();
      return answer?.total ?? 0;
    });
  }

  get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    const cursor = this.#collection(collection).find({ _id: { $in: [...ids] } }, { projection: UNREAD });
    return this.connection.run(async () => {
      const documents = (await cursor.toArray()).map((row) => toMatchingDocument(row));
      const name = collectionName(collection, this.generation);
      this.#rowWriter.noteRows(
        name,
        documents.map(({ id }) => id),
      );
      if (documents.length === 0) await this.#confirmEmpty();
      return documents;
    });
  }

  commit({ checkpoint, puts }: Commit): Promise<void> {
    const rows = puts.map(({ collection, document }) => ({
      collection: collectionName(collection, this.generation),
      row: toRow(this.#spec(collection), document, checkpoint.n),
    }));
    return this.connection.run(() => this.#journal.commit(checkpoint, rows));
  }

  recover(): Promise<void> {
    return this.connection.run(() => this.#journal.recover());
  }

  checkpoint(organizationId: string): Promise<Checkpoint | null> {
    return this.connection.run(() => this.#journal.checkpoint(organizationId));
  }

  checkpoints(): Promise<Checkpoint[]> {
    return this.connection.run(() => this.#journal.checkpoints());
  }

  buildIndexes(): Promise<void> {
    const build = async (db: Db) => {
      for (const spec of this.#specs.values()) await makeIndexes(this.#collection(spec.name, db), toIndexes(spec));
    };
    return this.connection.runLongWork(build);
  }

  /** Does nothing, because the connection is the store's. */
  async close(): Promise<void> {}

  /** @throws StoreUnavailable if the answer is empty because the generation was dropped */
  async #confirmEmpty(): Promise<void> {
    const now = this.options.now();
    if (now - this.#seenAt < EXISTENCE_MS) return;
    if (await this.options.isDropped()) throw new StoreUnavailable(`generation ${this.generation} was dropped`);
    this.#seenAt = now;
  }

  #collection(name: string, db = this.connection.db): Collection<DocumentRow> {
    return db.collection(collectionName(this.#spec(name).name, this.generation));
  }

  #spec(name: string): CollectionSpec {
    const spec = this.#specs.get(name);
    if (!spec) throw new TypeError(`no collection is named ${name}`);
    return spec;
  }
}

/** A result of the stages from `toCount`. */
interface Counted {
  _id: Record<string, Scalar | null> | null;
  total: number;
}
