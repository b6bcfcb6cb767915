import type { StorePosition } from './event-store.ts';

/** A value of a stored key. Dates and timestamps are ISO strings, booleans are 0 and 1. */
export type Scalar = string | number;

/** A collection of documents, with the keys and words by which the store filters, sorts and searches them. */
export interface CollectionSpec {
  name: string;
  /** Stored keys and their types. A key that a document doesn't have is "empty". */
  keys: Readonly<Record<string, 'text' | 'number'>>;
  /**
   * Each index has organization_id, these keys (those for equality first, then the sort key), and the id. The keys in
   * `covers` are appended, so that filters on them don't read documents. A `lookup` has few documents for each value of its
   * first key: conditions on such values use it, whatever else is filtered or sorted.
   */
  indexes: readonly { keys: readonly string[]; covers?: readonly string[]; lookup?: true }[];
  /** True if documents have search words. */
  searchable: boolean;
  /** Members that documents usually have. SQL stores write their values without the names. */
  members?: readonly string[];
}

/** A document with its stored keys and words. `doc` is plain JSON with the tools' field names. */
export interface StoredDocument {
  id: string;
  organization_id: string;
  keys: Readonly<Record<string, Scalar | null>>;
  /** Folded search words (lower case, no accents), each once. Only in searchable collections. */
  words?: readonly string[];
  doc: object;
}

export type Condition =
  | { key: string; op: 'eq'; value: Scalar }
  | { key: string; op: 'in'; values: readonly Scalar[] }
  /** The key is a list of names, with a space around each. It has this one. */
  | { key: string; op: 'has'; value: string }
  /** A range with at least one bound. An empty key is in no range. */
  | { key: string; op: 'range'; gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }
  | { key: string; op: 'present' }
  | { key: string; op: 'empty' }
  /** Each prefix must be the beginning of one of the document's words. One that ends in a space must be a whole word. */
  | { op: 'words'; prefixes: readonly string[] }
  /** All prefixes of at least one alternative must match, as those of `words` do. */
  | { op: 'anyWords'; alternatives: readonly (readonly string[])[] }
  | { op: 'ids'; ids: readonly string[] };

export interface DocumentQuery {
  collection: string;
  organizationId: string;
  where: readonly Condition[];
  /** Sorts by a stored key, then by id in the same direction; null: by id only. Empty keys sort before all others. */
  order: { key: string | null; direction: 'ASC' | 'DESC' };
  /** Continues after this document of the order. `key` is null if its sort key is empty. */
  after?: { key: Scalar | null; id: string };
  limit: number;
}

export interface CountQuery extends Pick<DocumentQuery, 'collection' | 'organizationId' | 'where'> {
  /** Stops counting after this many documents. By default all are counted. */
  limit?: number | undefined;
}

export interface MatchingDocument {
  id: string;
  /** The document's sort key, for the cursor. */
  key: Scalar | null;
  doc: Record<string, unknown>;
}

export interface Count {
  /** Values of the `by` keys, in the order of `by`. */
  values: (Scalar | null)[];
  total: number;
}

/** A place in the log up to which no organization's read models miss an event. */
export interface Place {
  storePosition: StorePosition;
  /** The number of events of all organizations up to here. Read models with fewer have lost some. */
  events: number;
}

/** The progress of one organization's read models. `n` numbers its commits: 1, 2, 3 … */
export interface Checkpoint {
  organizationId: string;
  n: number;
  /** Store position of the last applied event. */
  storePosition: StorePosition;
  /** Position and log time of that event in the organization's log. */
  position: number;
  logTime: string;
  /** The memory that the data of all events so far takes, estimated. */
  bytes: number;
  /** The number of parked events so far. */
  parked: number;
  /** The number of events so far that were recorded out of order. */
  outOfOrder: number;
  /** Installation id. It ties the read models to one log. */
  installation: string;
  /** The generation's place when this was committed; null while it is being built. */
  place: Place | null;
}

/** Writes one document whole, in place of one with the same id. */
export interface DocumentPut {
  collection: string;
  document: StoredDocument;
}

/** The documents of one batch, and the checkpoint after them. */
export interface Commit {
  checkpoint: Checkpoint;
  puts: readonly DocumentPut[];
}

/** One generation of read models: all collections, built by one version of the projections. */
export interface ReadModels {
  readonly generation: string;
  find(query: DocumentQuery): Promise<MatchingDocument[]>;
  /** Counts matching documents: all together, or for each value of at most two stored keys, in no order. */
  count(query: CountQuery, by?: readonly string[]): Promise<Count[]>;
  /** Counts the different values of a stored key, without empty ones. Stops after `limit` values. */
  countDistinct(query: CountQuery, key: string): Promise<number>;
  /** Returns documents by id, in no order, without absent ones. Callers must check the organization. */
  get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]>;

  /**
   * Writes a batch's documents, then its checkpoint. After a restart, all of it is there or none. `checkpoint.n` must
   * be the organization's last n + 1.
   * @throws Fenced if another runner has already committed that n
   * @throws StoreUnavailable if the batch may or may not be written: call `recover`, then retry
   */
  commit(batch: Commit): Promise<void>;
  /** Finishes interrupted commits. Must be called before the checkpoints are used. */
  recover(): Promise<void>;
  checkpoint(organizationId: string): Promise<Checkpoint | null>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Creates missing indexes. A new generation has none until then. */
  buildIndexes(): Promise<void>;
  /** Closes this generation's files or handles. The data stays. */
  close(): Promise<void>;
}

/** The reads of a generation's documents. */
export type DocumentReads = Pick<ReadModels, 'generation' | 'find' | 'count' | 'countDistinct' | 'get'>;

/** A value that all instances share, such as a lease. It is replaced by compare-and-set. */
export interface SharedEntry<T = unknown> {
  value: T;
  /** Grows by 1 with each replacement. 0 means absent. */
  version: number;
}

/**
 * Read models in generations, and shared entries for leases, instances and the active generation.
 * test/contract/read-store.ts tests what it promises.
 */
export interface ReadStore {
  /**
   * Opens a generation with these collections, or creates it. Creates no indexes.
   * @param isBuilding the generation is new and only this call's result uses it until `close`. Commits then needn't
   *   survive a crash; all of them are durable after `close`.
   */
  open(generation: string, collections: readonly CollectionSpec[], isBuilding?: boolean): Promise<ReadModels>;
  /** Deletes a generation's data. */
  drop(generation: string): Promise<void>;
  generations(): Promise<string[]>;
  sharedEntry<T>(name: string): Promise<SharedEntry<T> | null>;
  /** Replaces an entry if its version is still `version` (0: it must be absent). Returns true if it did. */
  compareAndSet(name: string, version: number, value: unknown): Promise<boolean>;
  close(): Promise<void>;
}
