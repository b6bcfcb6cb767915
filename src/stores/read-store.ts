import type { StorePosition } from './event-store.ts';

/** What can be filtered and ordered by. Dates and timestamps are their ISO strings, booleans are 0 and 1. */
export type Scalar = string | number;

/** A read model's collection: what is stored beside each document so that the store can filter, order and search. */
export interface CollectionSpec {
  name: string;
  /** Stored keys and their types; a document's missing key is "empty". */
  keys: Readonly<Record<string, 'text' | 'number'>>;
  /**
   * Each index is: organization_id, these keys (equality first, then the sort key), the id. `covers` are appended so
   * that filters on them need not read the document.
   */
  indexes: readonly { keys: readonly string[]; covers?: readonly string[] }[];
  /** Whether documents carry search words. */
  searchable: boolean;
  /** What of it is published to those who read the store with tools of their own; stores of SQL make views of these. */
  views?: readonly ViewSpec[];
}

/** A collection's documents as rows. It never changes but by further columns: docs/read-models.md says how it evolves. */
export interface ViewSpec {
  name: string;
  columns: readonly ViewColumn[];
  /** Only documents with this value of a key. */
  where?: { key: string; value: Scalar };
}

export type ViewColumn =
  /** What a document has there: members' names with full stops between them. */
  | { name: string; field: string }
  /** A stored key; `none` is the value of it that the view shows as null. */
  | { name: string; key: string; none?: Scalar };

/** A document with what is stored beside it. `doc` is what readers get: plain JSON, field names as the tools have them. */
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
  /** Half-open or closed range; an empty key is in no range. At least one bound is given. */
  | { key: string; op: 'range'; gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }
  | { key: string; op: 'present' }
  | { key: string; op: 'empty' }
  /** Every prefix begins one of the document's words. */
  | { op: 'words'; prefixes: readonly string[] }
  | { op: 'ids'; ids: readonly string[] };

export interface DocumentQuery {
  collection: string;
  organizationId: string;
  where: readonly Condition[];
  /** Order by one stored key, then by id in the same direction. Null: by id. An empty key sorts before all others. */
  order: { key: string | null; direction: 'ASC' | 'DESC' };
  /** Continue after this place in that order (exclusive). `key` is null where the order's key is empty there. */
  after?: { key: Scalar | null; id: string };
  limit: number;
}

export interface MatchingDocument {
  id: string;
  /** The order's key of this document, for the cursor. */
  key: Scalar | null;
  doc: Record<string, unknown>;
}

export interface Count {
  /** Values of the `by` keys, in their order. */
  values: (Scalar | null)[];
  total: number;
}

/** How far a group (an organization) has been projected. `n` numbers its commits without a gap. */
export interface Checkpoint {
  organizationId: string;
  n: number;
  /** Store position of the last event applied. */
  storePosition: StorePosition;
  /** Ordinal and log time of that event in the organization's log. */
  position: number;
  logTime: string;
  /** How many events could not be digested so far (see the runner). */
  parked: number;
  /** Installation id: read models and log must belong together. */
  installation: string;
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
  /** Matching documents, in all or grouped by at most two stored keys (groups in no order). */
  count(
    query: Pick<DocumentQuery, 'collection' | 'organizationId' | 'where'>,
    by?: readonly string[],
  ): Promise<Count[]>;
  /** Documents by id, in no order; absent ids are left out. Any organization: callers check it. */
  get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]>;

  /**
   * Writes a batch: documents whole (replacing those of the same id), then the checkpoint. Atomic to what a restart
   * sees. `checkpoint.n` must be the group's n + 1.
   * @throws Fenced when the group's n is already past that: another runner was here
   * @throws StoreUnavailable when it may be done or not; `recover` and repeat
   */
  commit(batch: Commit): Promise<void>;
  /** Finishes batches that were cut off between journal and checkpoint. Called before checkpoints are trusted. */
  recover(): Promise<void>;
  checkpoint(group: string): Promise<Checkpoint | null>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Makes the indexes that are missing. A generation that is being built has none until then. */
  buildIndexes(): Promise<void>;
  /** Lets go of this generation's files or handles; the data stays. */
  close(): Promise<void>;
}

/** Small facts about the read store as a whole, each replaced by compare-and-set. */
export interface RegisterEntry<T = unknown> {
  value: T;
  /** Grows with each replacement; 0 when absent. */
  version: number;
}

/**
 * Read models in generations, and a little shared register for lease, active generation and stamps.
 * The promises are tests in test/contract/read-store.ts.
 */
export interface ReadStore {
  /**
   * Opens (and creates where absent) a generation with these collections. Does not make indexes.
   * @param building the generation is new and nobody else opens it until it is closed: commits need not survive the
   *   process, all of them do once `close` has ended
   */
  open(generation: string, collections: readonly CollectionSpec[], building?: boolean): Promise<ReadModels>;
  /** Deletes a generation's data. */
  drop(generation: string): Promise<void>;
  generations(): Promise<string[]>;
  register<T>(name: string): Promise<RegisterEntry<T> | null>;
  /** Replaces a registered value if its version is still `version` (0: must be absent). Answers whether it did. */
  compareAndSet(name: string, version: number, value: unknown): Promise<boolean>;
  close(): Promise<void>;
}
