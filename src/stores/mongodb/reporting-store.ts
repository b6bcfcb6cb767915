import type { Collection } from 'mongodb';
import { monotonicMs } from '../../clock/monotonic.ts';
import { Fenced, StoreRefused } from '../errors.ts';
import type {
  ReportingSchema,
  ReportingStore,
  ReportingTable,
  Row,
  RowScratch,
  WriteRows,
} from '../reporting-store.ts';
import { connect, type MongoConnection, type MongoRow } from './client.ts';
import { indexOver, makeIndexes } from './indexes.ts';
import { documentOf, isDocumentOf, operationOf, replacement, rowOf } from './reporting-documents.ts';
import { insertAbsent } from './row-writer.ts';

/** The database has the name of the service's own and this at its end, so that one grant covers it and nothing else. */
const DATABASE_SUFFIX = '_reports';

const SOURCE_COLLECTION = '_source';

/**
 * Changes per command, so that other clients of the server get their turn in between. FerretDB 1 holds a connection to its
 * database for each change until the command ends. It has 100 of them, and a command that needs more never ends.
 */
const MAX_CHANGES_PER_COMMAND = 50;
/** A command that removes documents needs one connection for all. */
const MAX_REMOVALS_PER_COMMAND = 1_000;
const DOCUMENTS_PER_READ = 1_000;

/** A collection that somebody deletes has its rows again after this time. */
const CHECK_INTERVAL_MS = 600_000;

interface SourceDocument {
  _id: string;
  /** Null if rows must be made anew. */
  source: string | null;
  /** Grows each time that a writer opens the database. Only the newest one may write. */
  writer: number;
}

/**
 * Opens the reporting database on the server of a URL, and becomes its writer.
 * @param openScratch opens an empty place for the rows of a rebuild
 * @param onMended called if rows must be made anew because collections are gone
 * @throws StoreUnavailable when no server answers there
 */
export async function openMongoReportingStore(
  url: string,
  schema: ReportingSchema,
  openScratch: (schema: ReportingSchema) => RowScratch,
  onMended: (finding: string) => void = () => undefined,
  checkIntervalMs = CHECK_INTERVAL_MS,
): Promise<ReportingStore> {
  const connection = await connect(url, DATABASE_SUFFIX);
  const store = new MongoReportingStore(connection, schema, { openScratch, onMended, checkIntervalMs });
  try {
    await store.takeOver();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * One writer at a time. A command of an old writer can still arrive after another one has taken over, because no transaction
 * holds it back. So a writer looks after each of its commands: if it is no longer the newest, it has all rows made anew.
 */
class MongoReportingStore implements ReportingStore {
  readonly #tables: ReadonlyMap<string, ReportingTable>;
  readonly #sources: Collection<SourceDocument>;
  #writer = 0;
  #checkedAt = monotonicMs();

  constructor(
    private readonly connection: MongoConnection,
    private readonly schema: ReportingSchema,
    private readonly options: {
      openScratch: (schema: ReportingSchema) => RowScratch;
      onMended: (finding: string) => void;
      checkIntervalMs: number;
    },
  ) {
    this.#tables = new Map(schema.tables.map((table) => [table.name, table]));
    this.#sources = connection.db.collection(SOURCE_COLLECTION);
  }

  /** Becomes the newest writer. */
  takeOver(): Promise<void> {
    return this.#run(async () => {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const document = await this.#sources.findOneAndUpdate({ _id: 'source' }, { $inc: { writer: 1 } }, options);
      this.#writer = document!.writer;
    });
  }

  source(): Promise<string | null> {
    return this.#run(async () => {
      const document = await this.#sources.findOne({ _id: 'source', writer: this.#writer });
      if (document === null) throw superseded();
      const source = document.source ?? null;
      if (source === null || monotonicMs() - this.#checkedAt < this.options.checkIntervalMs) return source;
      this.#checkedAt = monotonicMs();
      if ((await this.#missingCollections()).length === 0) return source;
      this.options.onMended('Collections were deleted. All rows are made anew.');
      return null;
    });
  }

  /** Returns the collections that are not there. A rebuild creates all, also those without rows. */
  async #missingCollections(): Promise<string[]> {
    const collections = await this.connection.db.listCollections({}, { nameOnly: true }).toArray();
    const present = new Set(collections.map(({ name }) => name));
    return [...this.#tables.keys()].filter((name) => !present.has(name));
  }

  read(name: string): Promise<Row[]> {
    const table = this.#table(name);
    return this.#run(async () =>
      (await this.#collection(name).find().toArray()).map((document) => rowOf(table, document)),
    );
  }

  update(work: (write: WriteRows) => Promise<void>): Promise<void> {
    return work(async (name, changes) => {
      const operations = changes.map((change) => operationOf(this.#table(name), change));
      for (const some of chunk(operations, MAX_CHANGES_PER_COMMAND))
        await this.#change(() => this.#collection(name).bulkWrite(some, { ordered: true }));
    });
  }

  async rebuild(
    source: string,
    work: (write: WriteRows) => Promise<void>,
    confirm = async (): Promise<void> => undefined,
  ): Promise<void> {
    const rows = this.options.openScratch(this.schema);
    try {
      await work(rows.write);
      await this.#setSource(null);
      await this.#run(async () => {
        for (const name of await this.#missingCollections()) await this.connection.db.createCollection(name);
      });
      for (const table of this.schema.tables) await this.#writeDifferences(table, rows, confirm);
      await this.#setSource(source);
    } finally {
      rows.close();
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /**
   * Makes a collection's documents those of the rows. A document that is right already is only read. FerretDB 1 reads the whole
   * collection for each document that a command replaces, but inserts at once.
   */
  async #writeDifferences(table: ReportingTable, rows: RowScratch, confirm: () => Promise<void>): Promise<void> {
    const { name, openBy } = table;
    const collection = this.#collection(name);
    if (openBy) await this.#run(() => makeIndexes(collection, [indexOver([...openBy, 'until_position'])]));
    const surplus = await this.#run(() => removeEqual(table, rows, collection, confirm));
    for (const some of rows.parts(name, MAX_CHANGES_PER_COMMAND)) {
      await confirm();
      await this.#change(async () => {
        const present = await insertAbsent(
          collection,
          some.map((row) => documentOf(table, row)),
        );
        if (present.length > 0) await collection.bulkWrite(present.map(replacement), { ordered: false });
      });
    }
    for (const some of chunk(surplus, MAX_REMOVALS_PER_COMMAND)) {
      await confirm();
      await this.#change(() => collection.deleteMany({ _id: { $in: some } }));
    }
  }

  #setSource(source: string | null): Promise<void> {
    return this.#run(async () => {
      const own = { _id: 'source', writer: this.#writer };
      if ((await this.#sources.updateOne(own, { $set: { source } })).matchedCount === 0) throw superseded();
    });
  }

  /** Changes rows. @throws Fenced if another writer has taken over, who then makes all rows anew */
  async #change(work: () => Promise<unknown>): Promise<void> {
    await this.#run(work);
    await this.#run(async () => {
      if ((await this.#sources.findOne({ _id: 'source', writer: this.#writer })) !== null) return;
      await this.#sources.updateOne({ _id: 'source' }, { $set: { source: null }, $inc: { writer: 1 } });
      throw superseded();
    });
  }

  /** @throws StoreRefused with the role that the service's user lacks */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.connection.run(work);
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      const advice = `Give the user in MONGODB_URL the role readWrite in ${this.connection.db.databaseName}.`;
      throw new StoreRefused('Reports are off: the service may not write its reporting database.', advice, {
        cause: error,
      });
    }
  }

  #table(name: string): ReportingTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new TypeError(`no table is named ${name}`);
    return table;
  }

  #collection(name: string): Collection<MongoRow> {
    return this.connection.db.collection(name);
  }
}

function superseded(): Fenced {
  return new Fenced('another instance writes the reporting database now');
}

/** Removes the rows that a collection has already, and returns the ids of its documents that are none of the rows. */
async function removeEqual(
  table: ReportingTable,
  rows: RowScratch,
  collection: Collection<MongoRow>,
  confirm: () => Promise<void>,
): Promise<string[]> {
  const surplus: string[] = [];
  let count = 0;
  for await (const document of collection.find({}, { batchSize: DOCUMENTS_PER_READ })) {
    if (++count % DOCUMENTS_PER_READ === 0) await confirm();
    const row = rows.get(table.name, rowOf(table, document));
    if (row === null) surplus.push(document._id);
    else if (isDocumentOf(table, row, document)) await rows.write(table.name, [{ remove: row }]);
  }
  return surplus;
}

function* chunk<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}
