import type { Collection, Filter } from 'mongodb';
import {
  ACCOUNT_TABLES,
  type AccountRange,
  type AccountRecord,
  type AccountStore,
  type AccountTable,
  type AccountTableName,
} from '../account-store.ts';
import { connect, type MongoConnection, type MongoRow, writeUnlessTaken } from './client.ts';
import { indexOver, makeIndexes } from './indexes.ts';

/**
 * A stored record, and the claims of its unique fields: `=value`, or the record's id if the field has no value. With
 * these, a plain unique index is enough. Otherwise it would have to be a partial one.
 */
interface RecordRow extends MongoRow {
  record: AccountRecord;
  claims: Record<string, string>;
}

/**
 * The account store in MongoDB, in the database the URL names (`veritrail` if it names none).
 * @throws StoreUnavailable when no server answers there
 */
export async function openMongoAccountStore(url: string): Promise<AccountStore> {
  const connection = await connect(url);
  try {
    for (const [name, table] of Object.entries<AccountTable>(ACCOUNT_TABLES)) {
      const collection = connection.db.collection<RecordRow>(collectionName(name));
      const unique = table.unique.map((field) => indexOver([`claims.${field}`], { unique: true }));
      const plain = [...table.unique, ...table.lookup].map((field) => indexOver([`record.${field}`, '_id']));
      await connection
        .run(() => makeIndexes(collection, [...unique, ...plain]))
        .catch(async () => {
          // Some compatible servers fail when two instances create several indexes at once.
          for (const index of [...unique, ...plain]) await connection.run(() => makeIndexes(collection, [index]));
        });
    }
    return new MongoAccountStore(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const collectionName = (table: string) => `_account_${table}`;

const claim = (id: string, value: unknown): string => (value === null || value === undefined ? id : `=${value}`);

function toRow(table: AccountTableName, record: AccountRecord): RecordRow {
  const claims = ACCOUNT_TABLES[table].unique.map((field) => [field, claim(record.id, record[field])] as const);
  return { _id: record.id, record, claims: Object.fromEntries(claims) };
}

class MongoAccountStore implements AccountStore {
  constructor(private readonly connection: MongoConnection) {}

  insert(table: AccountTableName, record: AccountRecord): Promise<boolean> {
    return this.connection.run(() =>
      writeUnlessTaken(() =>
        this.#collection(table)
          .insertOne(toRow(table, record))
          .then(() => true),
      ),
    );
  }

  async put(table: AccountTableName, record: AccountRecord): Promise<void> {
    await this.connection.run(() =>
      this.#collection(table).replaceOne({ _id: record.id }, toRow(table, record), { upsert: true }),
    );
  }

  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null> {
    return this.connection.run(async () => {
      const row = await this.#collection(table).findOne({ _id: id });
      return row && (row.record as T);
    });
  }

  find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]> {
    return this.#find<T>(table, { [`record.${field}`]: value });
  }

  page<T extends AccountRecord>(table: AccountTableName, range: AccountRange): Promise<T[]> {
    const { field, value, from = '', below, limit } = range;
    const _id = below === undefined ? { $gte: from } : { $gte: from, $lt: below };
    const filter = { [`record.${field}`]: value, _id };
    return this.connection.run(async () => {
      const rows = await this.#collection(table).find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return rows.map((row) => row.record as T);
    });
  }

  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]> {
    return this.#find<T>(table, {});
  }

  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    expected: Record<string, unknown> = {},
  ): Promise<boolean> {
    const expectedFields = Object.entries(expected).map(([field, value]) => [`record.${field}`, value ?? null]);
    const filter: Filter<RecordRow> = { _id: id, ...Object.fromEntries(expectedFields) };
    const changes = Object.entries(fields).map(([field, value]) => [`record.${field}`, value]);
    const unique = ACCOUNT_TABLES[table].unique.filter((field) => field in fields);
    const claims = unique.map((field) => [`claims.${field}`, claim(id, fields[field])]);
    const $set = Object.fromEntries([...changes, ...claims]);
    return this.connection.run(() =>
      writeUnlessTaken(async () => (await this.#collection(table).updateOne(filter, { $set })).matchedCount === 1),
    );
  }

  remove(table: AccountTableName, id: string): Promise<boolean> {
    return this.connection.run(async () => (await this.#collection(table).deleteOne({ _id: id })).deletedCount === 1);
  }

  sweep(table: AccountTableName, field: string, below: string): Promise<number> {
    // The type is compared too, because null sorts below any text.
    const filter = { [`record.${field}`]: { $type: 'string', $lt: below } } as Filter<RecordRow>;
    return this.connection.run(async () => (await this.#collection(table).deleteMany(filter)).deletedCount);
  }

  async check(): Promise<void> {
    await this.get('secrets', 'installation');
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #find<T extends AccountRecord>(table: AccountTableName, filter: Filter<RecordRow>): Promise<T[]> {
    return this.connection.run(async () =>
      (await this.#collection(table).find(filter).toArray()).map((row) => row.record as T),
    );
  }

  #collection(table: AccountTableName): Collection<RecordRow> {
    return this.connection.db.collection(collectionName(table));
  }
}
