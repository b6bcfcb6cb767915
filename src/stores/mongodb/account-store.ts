import type { Collection, Filter } from 'mongodb';
import {
  ACCOUNT_TABLES,
  type AccountRecord,
  type AccountStore,
  type AccountTable,
  type AccountTableName,
} from '../account-store.ts';
import { type Connection, connect, type Row, reach, unlessTaken } from './client.ts';
import { indexOver, makeIndexes } from './indexes.ts';

/**
 * A record as it was given, and beside it what its unique fields claim: `=value`, or the record's own id where there
 * is no value. So a plain unique index does, where a partial one would be needed otherwise.
 */
interface RecordRow extends Row {
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
      const plain = [...table.unique, ...table.lookup].map((field) => indexOver([`record.${field}`]));
      await reach(() => makeIndexes(collection, [...unique, ...plain]));
    }
    return new MongoAccountStore(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const collectionName = (table: string) => `_account_${table}`;

const claim = (id: string, value: unknown): string => (value === null || value === undefined ? id : `=${value}`);

class MongoAccountStore implements AccountStore {
  constructor(private readonly connection: Connection) {}

  insert(table: AccountTableName, record: AccountRecord): Promise<boolean> {
    const { id } = record;
    const claims = ACCOUNT_TABLES[table].unique.map((field) => [field, claim(id, record[field])] as const);
    const row: RecordRow = { _id: id, record, claims: Object.fromEntries(claims) };
    return reach(() =>
      unlessTaken(() =>
        this.#collection(table)
          .insertOne(row)
          .then(() => true),
      ),
    );
  }

  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null> {
    return reach(async () => {
      const row = await this.#collection(table).findOne({ _id: id });
      return row && (row.record as T);
    });
  }

  find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]> {
    return this.#find<T>(table, { [`record.${field}`]: value });
  }

  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]> {
    return this.#find<T>(table, {});
  }

  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    when: Record<string, unknown> = {},
  ): Promise<boolean> {
    const expected = Object.entries(when).map(([field, value]) => [`record.${field}`, value ?? null]);
    const filter: Filter<RecordRow> = { _id: id, ...Object.fromEntries(expected) };
    const changes = Object.entries(fields).map(([field, value]) => [`record.${field}`, value]);
    const unique = ACCOUNT_TABLES[table].unique.filter((field) => field in fields);
    const claims = unique.map((field) => [`claims.${field}`, claim(id, fields[field])]);
    const $set = Object.fromEntries([...changes, ...claims]);
    return reach(() =>
      unlessTaken(async () => (await this.#collection(table).updateOne(filter, { $set })).matchedCount === 1),
    );
  }

  remove(table: AccountTableName, id: string): Promise<boolean> {
    return reach(async () => (await this.#collection(table).deleteOne({ _id: id })).deletedCount === 1);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #find<T extends AccountRecord>(table: AccountTableName, filter: Filter<RecordRow>): Promise<T[]> {
    return reach(async () => (await this.#collection(table).find(filter).toArray()).map((row) => row.record as T));
  }

  #collection(table: AccountTableName): Collection<RecordRow> {
    return this.connection.db.collection(collectionName(table));
  }
}
