import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fenced, RevisionConflict } from '../errors.ts';
import type {
  Checkpoint,
  CollectionSpec,
  Commit,
  Condition,
  Count,
  CountQuery,
  DocumentQuery,
  MatchingDocument,
  ReadModels,
  Scalar,
  StoredDocument,
} from '../read-store.ts';
import { quote, SqliteConnection, type SqlRow, type Value } from './connection.ts';
import {
  CHECKPOINTS,
  type Collection,
  countStatement,
  createIndex,
  createTable,
  createView,
  findStatement,
  matchesNothing,
  putDocument,
  segments,
  simplify,
  tableName,
} from './read-sql.ts';
import { WordIndex, WordTexts } from './read-words.ts';

interface Searchable extends Collection {
  words: WordIndex | undefined;
  /** Prepared once for all writes of documents. */
  keys: readonly string[];
  put: string;
}

/** No limit, in SQLite's LIMIT. */
const NO_LIMIT = -1;

/**
 * Stores one generation in its own file, so that building or dropping one doesn't slow down others. Commits aren't synced
 * one by one. A power cut may undo the newest ones, documents and checkpoint together. They are then made again from
 * the log, which is synced.
 */
export class SqliteReadModels implements ReadModels {
  readonly generation: string;
  readonly #db: SqliteConnection;
  readonly #collections = new Map<string, Searchable>();
  readonly #wordTexts = new WordTexts();
  /** SQLite's counter of schema changes when `#collections` last read the list of indexes. */
  #schemaVersion = -1;

  constructor(path: string, generation: string, collections: readonly CollectionSpec[], building: boolean) {
    this.generation = generation;
    this.#db = new SqliteConnection(path, { synchronous: 'NORMAL', cacheKiB: building ? 262_144 : 65_536, building });
    this.#db.transaction(() => {
      this.#db.exec(CHECKPOINTS);
      for (const spec of collections) {
        this.#db.exec(createTable(spec));
        for (const view of spec.views ?? []) this.#db.exec(createView(spec, view));
      }
    });
    for (const spec of collections) {
      const words = spec.searchable ? new WordIndex(this.#db, spec.name, tableName(spec), this.#wordTexts) : undefined;
      const keys = Object.keys(spec.keys);
      const put = putDocument(spec);
      this.#collections.set(spec.name, { spec, ready: new Set(), words, keys, put });
    }
    this.#reloadSchema();
  }

  async find(query: DocumentQuery): Promise<MatchingDocument[]> {
    const { collection: name, limit } = query;
    const where = simplify(query.where);
    if (matchesNothing(where)) return [];
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const documents: MatchingDocument[] = [];
    for (const segment of segments({ ...query, where })) {
      const { sql, values } = findStatement(collection, { ...segment, limit: limit - documents.length }, rows);
      documents.push(...this.#db.all(sql, values).map(toMatchingDocument));
      if (documents.length >= limit) break;
    }
    return documents;
  }

  async count(query: CountQuery, by: readonly string[] = []): Promise<Count[]> {
    const { collection: name, organizationId, limit } = query;
    const where = simplify(query.where);
    if (matchesNothing(where)) return by.length > 0 ? [] : [{ values: [], total: 0 }];
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const { sql, values } = countStatement(collection, { organizationId, where, rows, limit }, by);
    return this.#db.all(sql, values).map((row) => ({ values: row.slice(0, -1), total: row.at(-1) as number }));
  }

  async countDistinct(query: CountQuery, key: string): Promise<number> {
    const { collection: name, organizationId, limit = NO_LIMIT } = query;
    const where = simplify([...query.where, { key, op: 'present' }]);
    if (matchesNothing(where)) return 0;
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const { sql, values } = countStatement(collection, { organizationId, where, rows }, [key]);
    return this.#db.get(`SELECT count(*) FROM (${sql} LIMIT ?)`, [...values, limit])![0] as number;
  }

  async get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    const table = quote(tableName(this.#collection(collection).spec));
    if (ids.length === 1) {
      const row = this.#db.get(`SELECT id, NULL, doc FROM ${table} WHERE id = ?`, ids);
      return row === undefined ? [] : [toMatchingDocument(row)];
    }
    const sql = `SELECT id, NULL, doc FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`;
    return this.#db.all(sql, [JSON.stringify(ids)]).map(toMatchingDocument);
  }

  async commit({ checkpoint, puts }: Commit): Promise<void> {
    const { organizationId, n, storePosition, position, logTime, parked, installation } = checkpoint;
    this.#db.transaction(() => {
      const current =
        (this.#db.get('SELECT n FROM checkpoints WHERE organization_id = ?', [organizationId])?.[0] as number) ?? 0;
      if (n <= current) throw new Fenced(`batch ${n} of ${organizationId} has already been committed`);
      if (n !== current + 1) throw new RevisionConflict(`batches of ${organizationId}`, current);
      this.#reloadSchema();
      this.#put(puts);
      this.#db.run(
        `INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = excluded.n,
          store_position = excluded.store_position, position = excluded.position, log_time = excluded.log_time,
          parked = excluded.parked, installation = excluded.installation`,
        [organizationId, n, storePosition, position, logTime, parked, installation],
      );
    });
  }

  /** Does nothing, because a commit is one transaction. */
  async recover(): Promise<void> {}

  async checkpoint(organizationId: string): Promise<Checkpoint | null> {
    const row = this.#db.get('SELECT * FROM checkpoints WHERE organization_id = ?', [organizationId]);
    return row ? toCheckpoint(row) : null;
  }

  async checkpoints(): Promise<Checkpoint[]> {
    return this.#db.all('SELECT * FROM checkpoints').map(toCheckpoint);
  }

  /** Creates each index in its own transaction, so that other work gets its turn in between. */
  async buildIndexes(): Promise<void> {
    this.#db.flush();
    this.#reloadSchema();
    for (const { spec, ready, words } of this.#collections.values()) {
      for (const index of spec.indexes) {
        this.#db.exec(createIndex(spec, index));
        await nextTurn();
      }
      if (!words || ready.has(words.table)) continue;
      words.create();
      await nextTurn();
    }
    this.#reloadSchema();
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #put(puts: Commit['puts']): void {
    const outdated = new Map<WordIndex, { newest: number; ids: string[] }>();
    for (const { collection, document } of puts) {
      const { spec, ready, words, keys, put } = this.#collection(collection);
      if (words && ready.has(words.table)) {
        const update = outdated.get(words) ?? { newest: words.newest(), ids: [] };
        outdated.set(words, update);
        if (words.isOutdatedBy(document, update.newest)) update.ids.push(document.id);
      }
      this.#db.run(put, toRow(spec, keys, document, this.#wordTexts));
    }
    for (const [words, { newest, ids }] of outdated) words.update(ids, newest);
  }

  /** Returns the rows that may have the searched words, if they are few. */
  #rowsOfWords({ ready, words }: Searchable, where: readonly Condition[]): number[] | undefined {
    const prefixes = where.flatMap((condition) => (condition.op === 'words' ? condition.prefixes : []));
    return prefixes.length > 0 && words && ready.has(words.table) ? words.candidates(prefixes) : undefined;
  }

  /** Reads the list of indexes again if the schema has changed. */
  #reloadSchema(): void {
    const version = this.#db.get('PRAGMA schema_version')![0] as number;
    if (version === this.#schemaVersion) return;
    const ready = new Set(this.#db.all('SELECT name FROM sqlite_master').map((row) => row[0] as string));
    for (const collection of this.#collections.values()) collection.ready = ready;
    this.#schemaVersion = version;
  }

  #collection(name: string): Searchable {
    const collection = this.#collections.get(name);
    if (!collection) throw new TypeError(`no collection ${name}`);
    return collection;
  }
}

/** Returns a document's row, in the order of `columns`. */
function toRow(spec: CollectionSpec, names: readonly string[], document: StoredDocument, texts: WordTexts): Value[] {
  const { id, organization_id, keys, words = [], doc } = document;
  const row: Value[] = [id, organization_id];
  for (const name of names) row.push(keys[name] ?? null);
  if (spec.searchable) row.push(texts.textOf(words));
  row.push(JSON.stringify(doc));
  return row;
}

function toMatchingDocument(row: SqlRow): MatchingDocument {
  return {
    id: row[0] as string,
    key: row[1] as Scalar | null,
    doc: JSON.parse(row[2] as string) as MatchingDocument['doc'],
  };
}

function toCheckpoint(row: SqlRow): Checkpoint {
  const [organizationId, n, storePosition, position, logTime, parked, installation] = row;
  return { organizationId, n, storePosition, position, logTime, parked, installation } as Checkpoint;
}
