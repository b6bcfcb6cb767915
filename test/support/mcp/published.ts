/** Reads the read models as a report generator does: as docs/read-models.md says, without the service. */
import { join } from 'node:path';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import type { ViewColumn } from '../../../src/stores/read-store.ts';

export type PublishedRow = Record<string, unknown>;

export interface PublishedViews {
  /** Returns the rows of a published view, with lists and objects parsed. */
  rows(view: string): Promise<PublishedRow[]>;
  /** Runs an SQL statement, if the store has SQL. */
  query?(sql: string, parameters: object): PublishedRow[];
  close(): Promise<void>;
}

/** All published views with their collections. */
export const VIEWS = COLLECTIONS.flatMap((collection) =>
  (collection.views ?? []).map((view) => ({ view, collection })),
);

/**
 * Opens the current generation.
 * @param find the document's statement that returns its file
 */
export function openPublished(env: Record<string, string>, find: string): Promise<PublishedViews> {
  return env.MONGODB_URL === undefined ? openFile(env.DATA_DIR!, find) : openDatabase(env.MONGODB_URL);
}

async function openFile(folder: string, find: string): Promise<PublishedViews> {
  const register = new Database(join(folder, 'read.db'), { readonly: true });
  const [file] = register.prepare(find).raw().get() as [string];
  register.close();
  const db = new Database(join(folder, file), { readonly: true });
  return {
    rows: async (view) => (db.prepare(`SELECT * FROM "${view}"`).all() as PublishedRow[]).map(parsed),
    query: (sql, parameters) => db.prepare(sql).all(parameters) as PublishedRow[],
    close: async () => {
      db.close();
    },
  };
}

/** Matches JSON. No text of the tests begins like that. */
function parsed(row: PublishedRow): PublishedRow {
  const isJson = (value: unknown) => typeof value === 'string' && /^[[{]/.test(value);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isJson(value) ? JSON.parse(String(value)) : value]),
  );
}

async function openDatabase(url: string): Promise<PublishedViews> {
  const client = await MongoClient.connect(url);
  const db = client.db();
  const active = await db.collection('_register').findOne({ _id: 'active' } as object);
  const { generation } = JSON.parse(active!.json) as { generation: string };
  const progress = async () => {
    const heads = await db.collection(`_heads__${generation}`).find().toArray();
    return heads.map(({ checkpoint: { group, ordinal, log_time, parked, installation } }) => ({
      organization_id: group,
      position: ordinal,
      log_time,
      parked,
      installation,
    }));
  };
  return {
    async rows(name) {
      if (name === 'progress') return progress();
      const { view, collection } = VIEWS.find((entry) => entry.view.name === name)!;
      const filter = view.where ? { [`_keys.${view.where.key}`]: view.where.value } : {};
      const read = (collectionName: string, where: object) =>
        db.collection(`${collectionName}__${generation}`).find(where).toArray() as Promise<PublishedRow[]>;
      const rows = await read(collection.name, filter);
      const entries = view.columns.some((column) => 'rows' in column) ? await read('map_entries', {}) : [];
      return rows.map((row) =>
        Object.fromEntries(
          view.columns.map((column) => [
            column.name,
            'rows' in column ? mapOf(row, column, entries) : inRow(row, column),
          ]),
        ),
      );
    },
    close: () => client.close(),
  };
}

/** Returns a map from the rows of its entries. */
function mapOf(
  row: PublishedRow,
  { name, at }: Extract<ViewColumn, { rows: object }>,
  entries: readonly PublishedRow[],
): object {
  const { record_id = row._id, from_position } = row._keys as PublishedRow;
  const position = at === 'NOW' ? Number.MAX_SAFE_INTEGER - 1 : Number(from_position);
  const held = entries.filter((entry) => {
    const keys = entry._keys as PublishedRow;
    const isOfMap = keys.record_id === record_id && keys.field === name;
    return isOfMap && Number(keys.from_position) <= position && Number(keys.until_position) > position;
  });
  return Object.fromEntries(held.map(({ key, value }) => [key, value]));
}

/** Returns a value as SQL has it: undefined becomes null, and truth values become numbers. */
function inRow(row: PublishedRow, column: Exclude<ViewColumn, { rows: object }>): unknown {
  if ('key' in column) {
    const value = (row._keys as PublishedRow)[column.key];
    return value === column.none ? null : value;
  }
  const path = column.field === 'organization_id' ? ['_organization'] : column.field.split('.');
  const value = path.reduce<unknown>((holder, member) => (holder as PublishedRow | null)?.[member] ?? null, row);
  return typeof value === 'boolean' ? Number(value) : value;
}
