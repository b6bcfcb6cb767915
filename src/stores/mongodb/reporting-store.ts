import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { Fenced, StoreRefused } from '../errors.ts';
import type {
  ColumnType,
  ReportingSchema,
  ReportingStore,
  ReportingTable,
  ReportingValue,
  Row,
  WriteRows,
} from '../reporting-store.ts';
import { connect, type MongoConnection } from './client.ts';
import { FirstBuild } from './first-build.ts';
import { indexOver, makeIndexes } from './indexes.ts';
import { operationOf, type ReportingDocument } from './reporting-documents.ts';

/** The database has the name of the service's own and this at its end, so that one grant covers it and nothing else. */
const DATABASE_SUFFIX = '_reports';

const SOURCE_COLLECTION = '_source';

/**
 * Changes per command, so that other clients of the server get their turn in between. FerretDB 1 holds a connection to its
 * database for each change until the command ends. It has 100 of them, and a command that needs more never ends.
 */
const MAX_CHANGES_PER_COMMAND = 50;

interface SourceDocument {
  _id: string;
  /** Null if rows must be made anew. */
  source: string | null;
  build: string;
  /** Grows each time that a writer opens the database. Only the newest one may write. */
  writer: number;
}

/**
 * Opens the reporting database on the server of a URL, and becomes its writer. @throws StoreUnavailable when no server
 * answers there
 */
export async function openMongoReportingStore(url: string, schema: ReportingSchema): Promise<ReportingStore> {
  const connection = await connect(url, DATABASE_SUFFIX);
  const store = new MongoReportingStore(connection, schema);
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
  #build: string | null = null;
  #writer = 0;

  constructor(
    private readonly connection: MongoConnection,
    private readonly schema: ReportingSchema,
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
      this.#build = document.build ?? null;
      return document.source ?? null;
    });
  }

  read(name: string): Promise<Row[]> {
    const { columns } = this.#table(name);
    return this.#run(async () =>
      (await this.#collection(name).find().toArray()).map((document) =>
        Object.fromEntries(columns.map(({ name, type }) => [name, fromBson(type, document[name])])),
      ),
    );
  }

  update(work: (write: WriteRows) => Promise<void>): Promise<void> {
    if (this.#build === null) throw new TypeError('update before rebuild');
    return work(this.#writerOf(this.#build, null));
  }

  async rebuild(source: string, work: (write: WriteRows) => Promise<void>): Promise<void> {
    const build = randomUUID();
    await this.#run(async () => {
      for (const { name, openBy } of this.schema.tables) {
        if (openBy) await makeIndexes(this.#collection(name), [indexOver([...openBy, 'until_position'])]);
      }
    });
    await work(this.#writerOf(build, await this.#beginFirstBuild(build)));
    for (const { name } of this.schema.tables)
      await this.#change(() => this.#collection(name).deleteMany({ _build: { $ne: build } }));
    await this.#run(async () => {
      const own = { _id: 'source', writer: this.#writer };
      if ((await this.#sources.updateOne(own, { $set: { source, build } })).matchedCount === 0) throw superseded();
    });
    this.#build = build;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Empties the collections if no build has been finished yet. Returns null otherwise. */
  async #beginFirstBuild(build: string): Promise<FirstBuild | null> {
    const source = await this.#run(() => this.#sources.findOne({ _id: 'source' }));
    if (typeof source?.build === 'string') return null;
    for (const { name } of this.schema.tables) await this.#change(() => this.#collection(name).deleteMany({}));
    return new FirstBuild(build);
  }

  #writerOf(build: string, firstBuild: FirstBuild | null): WriteRows {
    return async (name, changes) => {
      const table = this.#table(name);
      const collection = this.#collection(name);
      for (let first = 0; first < changes.length; first += MAX_CHANGES_PER_COMMAND) {
        const some = changes.slice(first, first + MAX_CHANGES_PER_COMMAND);
        await this.#change(async () => {
          if (firstBuild !== null) return firstBuild.write(collection, table, some);
          const operations = some.map((change) => operationOf(table, change, build));
          await collection.bulkWrite(operations, { ordered: true });
        });
      }
    };
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

  #collection(name: string): Collection<ReportingDocument> {
    return this.connection.db.collection(name);
  }
}

function superseded(): Fenced {
  return new Fenced('another instance writes the reporting database now');
}

function fromBson(type: ColumnType, value: unknown): ReportingValue {
  if (!(value instanceof Date)) return (value ?? null) as ReportingValue;
  const text = value.toISOString();
  return type === 'DATE' ? text.slice(0, 10) : text;
}
