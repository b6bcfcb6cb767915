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
} from '../read-store.ts';
import { quote, SqliteConnection, type SqlRow, type Value, whenUnlocked } from './connection.ts';
import { fromStoredId, ORGANIZATIONS_TABLE, OrganizationNumbers } from './organization-numbers.ts';
import {
  CHECKPOINTS,
  type Collection,
  createIndex,
  createTable,
  documentMaker,
  existingIndexes,
  putDocument,
  tableName,
  toText,
} from './read-schema.ts';
import { countStatement, findStatement, inOneRow, matchesNothing, segments, simplify } from './read-sql.ts';
import { WordIndex, WordTexts } from './read-words.ts';

interface OpenCollection extends Collection {
  words: WordIndex | undefined;
  /** True if the table of words exists. */
  hasWords: boolean;
  /** Prepared once for all writes of documents. */
  keys: readonly string[];
  put: string;
  /** Selects the text of one document by its id. */
  getText: string;
  /** Makes a document from its stored text, parsed. */
  toDocument: ReturnType<typeof documentMaker>;
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
  readonly #collections = new Map<string, OpenCollection>();
  readonly #organizations: OrganizationNumbers;
  readonly #wordTexts = new WordTexts();
  /** SQLite's counter of schema changes when `#collections` last read the list of indexes. */
  #schemaVersion = -1;

  constructor(path: string, generation: string, collections: readonly CollectionSpec[], building: boolean) {
    this.generation = generation;
    this.#db = new SqliteConnection(path, { synchronous: 'NORMAL', cacheKiB: building ? 262_144 : 65_536, building });
    this.#organizations = new OrganizationNumbers(this.#db);
    for (const spec of collections) {
      const words = spec.searchable ? new WordIndex(this.#db, spec.name, tableName(spec), this.#wordTexts) : undefined;
      const keys = Object.keys(spec.keys);
      const put = putDocument(spec);
      const getText = `SELECT doc FROM ${quote(tableName(spec))} WHERE id = ?`;
      const toDocument = documentMaker(spec);
      this.#collections.set(spec.name, { spec, indexes: [], words, hasWords: false, keys, put, getText, toDocument });
    }
    this.#db.setUp(() => {
      this.#createTables(collections);
      this.#reloadSchema();
    });
  }

  /** Creates what the file lacks. If that is nothing, it needn't wait for a thread that is writing. */
  #createTables(collections: readonly CollectionSpec[]): void {
    const existing = new Set(this.#db.all('SELECT name FROM sqlite_master').map((row) => row[0]));
    const names = collections.map(tableName);
    if (existing.has('checkpoints') && existing.has(ORGANIZATIONS_TABLE) && names.every((name) => existing.has(name)))
      return;
    this.#db.transaction(() => {
      this.#db.exec(CHECKPOINTS);
      this.#organizations.create();
      for (const spec of collections) this.#db.exec(createTable(spec));
    });
  }

  find(query: DocumentQuery): Promise<MatchingDocument[]> {
    return whenUnlocked(() => this.#find(query));
  }

  count(query: CountQuery, by: readonly string[] = []): Promise<Count[]> {
    return whenUnlocked(() => this.#count(query, by));
  }

  countDistinct(query: CountQuery, key: string): Promise<number> {
    return whenUnlocked(() => this.#countDistinct(query, key));
  }

  get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    return whenUnlocked(() => this.#get(collection, ids));
  }

  commit(batch: Commit): Promise<void> {
    return whenUnlocked(() => this.#commit(batch));
  }

  /** Does nothing, because a commit is one transaction. */
  async recover(): Promise<void> {}

  async checkpoint(organizationId: string): Promise<Checkpoint | null> {
    const sql = 'SELECT * FROM checkpoints WHERE organization_id = ?';
    const row = await whenUnlocked(() => this.#db.get(sql, [organizationId]));
    return row ? toCheckpoint(row) : null;
  }

  async checkpoints(): Promise<Checkpoint[]> {
    return whenUnlocked(() => this.#db.all('SELECT * FROM checkpoints').map(toCheckpoint));
  }

  /** Creates each index in its own transaction, so that other work gets its turn in between. */
  async buildIndexes(): Promise<void> {
    await whenUnlocked(() => {
      this.#db.flush();
      this.#reloadSchema();
    });
    for (const { spec, words, hasWords } of this.#collections.values()) {
      for (const index of spec.indexes) {
        await whenUnlocked(() => this.#db.exec(createIndex(spec, index)));
        await nextTurn();
      }
      if (!words || hasWords) continue;
      await whenUnlocked(() => words.create());
      await nextTurn();
    }
    await whenUnlocked(() => this.#reloadSchema());
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #find(query: DocumentQuery): MatchingDocument[] {
    const { collection: name, organizationId, limit } = query;
    const where = this.#stored(query.where);
    const after = query.after && { ...query.after, id: this.#organizations.storedId(query.after.id, organizationId) };
    const organization = this.#organizations.find(organizationId);
    if (organization === undefined || matchesNothing(where)) return [];
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const documents: MatchingDocument[] = [];
    for (const segment of segments({ ...query, where, ...(after && { after }) })) {
      const page = { ...segment, limit: limit - documents.length };
      const { sql, values } = findStatement(collection, page, { organization, rows });
      for (const { id, key, doc } of this.#documents(collection, sql, values)) {
        documents.push({ id: fromStoredId(id, organizationId), key, doc });
      }
      if (documents.length >= limit) break;
    }
    return documents;
  }

  #count(query: CountQuery, by: readonly string[]): Count[] {
    const { collection: name, organizationId, limit } = query;
    const where = this.#stored(query.where);
    const organization = this.#organizations.find(organizationId);
    if (organization === undefined || matchesNothing(where)) return by.length > 0 ? [] : [{ values: [], total: 0 }];
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const { sql, values } = countStatement(collection, { organization, where, rows, limit }, by);
    return this.#db
      .all(sql, values)
      .map((row) => ({ values: row.slice(0, -1) as Value[], total: row.at(-1) as number }));
  }

  #countDistinct(query: CountQuery, key: string): number {
    const { collection: name, organizationId, limit = NO_LIMIT } = query;
    const where = this.#stored([...query.where, { key, op: 'present' }]);
    const organization = this.#organizations.find(organizationId);
    if (organization === undefined || matchesNothing(where)) return 0;
    const collection = this.#collection(name);
    const rows = this.#rowsOfWords(collection, where);
    const { sql, values } = countStatement(collection, { organization, where, rows }, [key]);
    return this.#db.get(`SELECT count(*) FROM (${sql} LIMIT ?)`, [...values, limit])![0] as number;
  }

  #get(collection: string, ids: readonly string[]): MatchingDocument[] {
    const found = this.#collection(collection);
    if (ids.length === 1) {
      const id = ids[0]!;
      const row = this.#db.get(found.getText, [this.#organizations.storedId(id)]);
      return row === undefined ? [] : [{ id, key: null, doc: found.toDocument(JSON.parse(row[0] as string)) }];
    }
    const table = quote(tableName(found.spec));
    const byStoredId = new Map(ids.map((id) => [this.#organizations.storedId(id), id]));
    const select = `SELECT id, NULL AS sort_key, doc FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`;
    const documents = this.#documents(found, select, [JSON.stringify([...byStoredId.keys()])]);
    return documents.map((document) => ({ ...document, id: byStoredId.get(document.id)! }));
  }

  #commit(batch: Commit): void {
    try {
      this.#db.transaction(() => this.#write(batch));
    } catch (error) {
      // It may have given an organization a number that is now undone.
      this.#organizations.forget();
      throw error;
    }
  }

  #write({ checkpoint, puts }: Commit): void {
    const { organizationId, n, storePosition, position, logTime, bytes } = checkpoint;
    const { parked, outOfOrder, installation, place } = checkpoint;
    const current =
      (this.#db.get('SELECT n FROM checkpoints WHERE organization_id = ?', [organizationId])?.[0] as number) ?? 0;
    if (n <= current) throw new Fenced(`batch ${n} of ${organizationId} has already been committed`);
    if (n !== current + 1) throw new RevisionConflict(`batches of ${organizationId}`, current);
    this.#reloadSchema();
    this.#put(puts);
    this.#db.run(
      `INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = excluded.n,
        store_position = excluded.store_position, position = excluded.position, log_time = excluded.log_time,
        parked = excluded.parked, out_of_order = excluded.out_of_order, installation = excluded.installation,
        place = excluded.place, place_events = excluded.place_events, bytes = excluded.bytes`,
      [
        ...[organizationId, n, storePosition, position, logTime],
        ...[parked, outOfOrder, installation, ...placeColumns(place), bytes],
      ],
    );
  }

  #put(puts: Commit['puts']): void {
    const outdated = new Map<WordIndex, { newest: number; ids: string[] }>();
    for (const { collection, document } of puts) {
      const { spec, words, hasWords, keys, put } = this.#collection(collection);
      const organization = this.#organizations.findOrAdd(document.organization_id);
      const id = this.#organizations.storedId(document.id, document.organization_id);
      if (words && hasWords) {
        const update = outdated.get(words) ?? { newest: words.newest(), ids: [] };
        outdated.set(words, update);
        if (words.isOutdatedBy(id, document.words ?? [], update.newest)) update.ids.push(id);
      }
      const values: Value[] = keys.map((key) => document.keys[key] ?? null);
      const text = spec.searchable ? [this.#wordTexts.textOf(document.words ?? [])] : [];
      this.#db.run(put, [id, organization, ...values, ...text, toText(spec, document.doc)]);
    }
    for (const [words, { newest, ids }] of outdated) words.update(ids, newest);
  }

  /** Returns the documents that a select of ids, sort keys and documents finds, with their stored ids. */
  #documents({ toDocument }: OpenCollection, select: string, values: SqlRow): MatchingDocument[] {
    const parts = JSON.parse(this.#db.get(inOneRow(select), values)![0] as string) as unknown[];
    const documents: MatchingDocument[] = [];
    for (let at = 0; at < parts.length; at += 3) {
      const [id, key] = [parts[at] as string, parts[at + 1] as Scalar | null];
      documents.push({ id, key, doc: toDocument(parts[at + 2]) });
    }
    return documents;
  }

  /** Returns conditions in their simplest form, and with ids as they are stored. */
  #stored(where: readonly Condition[]): Condition[] {
    return simplify(where).map((condition) =>
      condition.op === 'ids'
        ? { op: 'ids', ids: condition.ids.map((id) => this.#organizations.storedId(id)) }
        : condition,
    );
  }

  /** Returns the rows that may have the searched words, if they are few. */
  #rowsOfWords({ words, hasWords }: OpenCollection, where: readonly Condition[]): number[] | undefined {
    return words && hasWords ? words.candidates(where) : undefined;
  }

  /** Reads the list of indexes again if the schema has changed. */
  #reloadSchema(): void {
    const version = this.#db.get('PRAGMA schema_version')![0] as number;
    if (version === this.#schemaVersion) return;
    const names = new Set(this.#db.all('SELECT name FROM sqlite_master').map((row) => row[0] as string));
    for (const collection of this.#collections.values()) {
      const { spec, words } = collection;
      collection.indexes = existingIndexes(spec, names);
      collection.hasWords = words !== undefined && names.has(words.table);
    }
    this.#schemaVersion = version;
  }

  #collection(name: string): OpenCollection {
    const collection = this.#collections.get(name);
    if (!collection) throw new TypeError(`no collection ${name}`);
    return collection;
  }
}

function toCheckpoint(row: SqlRow): Checkpoint {
  const [organizationId, n, storePosition, position, logTime, ...more] = row;
  const [parked, outOfOrder, installation, placePosition, events, bytes] = more;
  const place = placePosition === null ? null : { storePosition: placePosition, events };
  const progress = { organizationId, n, storePosition, position, logTime, bytes, parked, outOfOrder };
  return { ...progress, installation, place } as Checkpoint;
}

function placeColumns(place: Checkpoint['place']): SqlRow {
  return place === null ? [null, null] : [place.storePosition, place.events];
}
