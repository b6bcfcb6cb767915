import type { StoredJson } from '../trail/check/line.ts';
import type { TrailEvent } from '../trail/event.ts';

declare const position: unique symbol;

/** A place in the store's whole log. Opaque: only the adapter that returned it can compare it. */
export type StorePosition = string & { readonly [position]: true };

/** An event as the log holds it. Its `data` is null if its row can't be read. */
export type StoredEvent = ReadableEvent | UnreadableRow;

export interface ReadableEvent extends TrailEvent {
  storePosition: StorePosition;
  /**
   * Data and metadata as the JSON texts that the store holds, if it does. An export writes them without serializing
   * again.
   */
  texts?: StoredJson;
}

/**
 * An event whose row holds something else than an event of veritrail: a damaged file, or another program's write in one
 * of our streams. It keeps its revision in the stream, and its position in its organization's log.
 */
export interface UnreadableRow extends Omit<TrailEvent, 'data'> {
  data: null;
  /**
   * The members that the row's text still shows. Most others are empty texts. Without its `hash`, the leaf in the Merkle
   * tree, it gets the SHA-256 of its metadata. `organization_id` then follows from other events, if they tell it.
   */
  metadata: TrailEvent['metadata'];
  storePosition: StorePosition;
  /** Says what is wrong: "its data is not JSON". */
  fault: string;
  bytes: RowBytes;
}

/** Data and metadata exactly as stored. */
export interface RowBytes {
  data: Uint8Array;
  metadata: Uint8Array;
}

/** The `organization_id` of unreadable rows that nothing tells the organization of. */
export const NO_ORGANIZATION = '';

/** The newest part of the log, as one read saw it. */
export interface LogHead {
  /** Veritrail's newest event after the given position; null if there is none. */
  newest: StorePosition | null;
  /** The end of the whole log, in which other programs may write too. Nothing of veritrail's lies between `newest` and it. */
  end: StorePosition;
}

/** Events to append to one stream, as `append` takes them. */
export interface StreamBatch {
  stream: string;
  events: readonly TrailEvent[];
  expectedRevision: number;
  /** The `monotonicMs` at which the events were decided. Absent: they may be of any age, as when a log is restored. */
  decidedAt?: number | undefined;
  /** Absent: the events depend on no other stream. */
  condition?: AppendCondition | undefined;
}

/** Another stream on which events were decided: the organization's, which gives the actor its rights. */
export interface AppendCondition {
  stream: string;
  /** The stream's revision when the events were decided. */
  revision: number;
  /** The `monotonicMs` at which that revision was read. */
  readAt: number;
  /** The `monotonicMs` after which the events must not be written: the end of the actor's access. Infinity without one. */
  until: number;
}

/** Limit for the age of a condition's `readAt` in a store that can't read the other stream in the same transaction. */
export const MAX_CONDITION_AGE_MS = 500;

/**
 * Limit for the age of a decision that is appended. Its `recorded_at` is that old too, so a read as of a moment some seconds
 * ago is final: no event can get a place before it any more.
 */
export const MAX_DECISION_AGE_MS = 5_000;

/** A row to append as it is. */
export type UncheckedRow = Pick<UnreadableRow, 'id' | 'stream' | 'revision' | 'type' | 'bytes'>;

/** The `expectedRevision` of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** Limit of one append, by the store with the lowest limit (EventStoreDB: 1 MiB with its framing). */
export const MAX_APPEND_BYTES = 1_000_000;

/**
 * The log: all events, in order. test/contract/event-store.ts tests its promises:
 *
 * - Expected revisions hold under concurrent writers.
 * - A batch is appended whole or not at all.
 * - Retrying with the same bytes succeeds and appends nothing, even after later events.
 * - An event whose id doesn't fit its content is refused before anything is sent.
 * - `after` is exclusive: that event isn't returned again.
 * - A call always ends: with success, a refusal or StoreUnavailable.
 */
export interface EventStore {
  /**
   * Appends a batch to one stream. The events have consecutive revisions from `expectedRevision + 1`.
   * @param decidedAt as in StreamBatch. It is compared at the last moment before each attempt to write
   * @param condition as in StreamBatch. An embedded store reads the other stream in the append's transaction; others
   * refuse one that was read more than MAX_CONDITION_AGE_MS ago
   * @returns the store position of the batch's last event. For a retry, that of the first attempt.
   * @throws RevisionConflict if the stream is at another revision and doesn't have these events already
   * @throws DecisionExpired if the events were decided more than MAX_DECISION_AGE_MS ago, or the condition doesn't hold
   * @throws StoreReplaced if the log doesn't hold the newest event that this process knows
   * @throws TooLarge if the batch is larger than MAX_APPEND_BYTES
   * @throws StoreUnavailable if the store is down (`ambiguous` if the batch may have been appended)
   * @throws TypeError if an event's id or hash is wrong, or revisions aren't consecutive
   */
  append(
    stream: string,
    events: readonly TrailEvent[],
    expectedRevision: number,
    decidedAt?: number,
    condition?: AppendCondition,
  ): Promise<StorePosition>;

  /**
   * Appends batches of any streams in this order, faster than one after the other. If one fails, later ones may have been
   * appended. A caller that needs the order compares the positions.
   * @returns the store position of each batch's last event
   * @throws as `append` does
   */
  appendInOrder(batches: readonly StreamBatch[]): Promise<StorePosition[]>;

  /**
   * Appends a row of a backup without checking its content, so that what can't be read is restored as it was.
   * @returns its store position. For a retry, that of the first attempt.
   * @throws RevisionConflict, StoreUnavailable as `append` does
   */
  appendRow(row: UncheckedRow): Promise<StorePosition>;

  /**
   * Returns at most `limit` events of a stream from a revision on, in order. Returns none if there is no such stream.
   */
  readStream(stream: string, fromRevision?: number, limit?: number): Promise<StoredEvent[]>;

  /**
   * Returns what was done to a stream of which no event can be read: "it was deleted". Returns null if it never existed, so
   * that it may be created.
   */
  explainAbsence(stream: string): Promise<string | null>;

  /** Reads all events after a store position (null: all) up to the current end, in log order, in batches. */
  readAll(after: StorePosition | null): AsyncIterable<readonly StoredEvent[]>;

  /**
   * Reads all events after a store position, and then new ones as they come, in log order and in batches. Survives lost
   * connections without missing or repeating an event. Ends only when `signal` is aborted.
   */
  subscribeAll(after: StorePosition | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;

  /**
   * Reads the end of the log, and from there back to veritrail's newest event, but not past `after` (null: the
   * beginning). The work grows with other programs' events behind `after`, so callers give the last end they know.
   */
  head(after: StorePosition | null): Promise<LogHead>;

  /** Returns the end of the log, as `head` does, by one small read. Shows that the store answers. */
  end(): Promise<StorePosition>;

  /** Checks that the store answers. @throws StoreUnavailable, or StoreReplaced as `append` does */
  check(): Promise<void>;

  /** Returns a number below, equal to or above zero if `a` is before, at or after `b`. */
  compareStorePositions(a: StorePosition, b: StorePosition): number;

  /** Ends all subscriptions, waits for running calls, and closes files and connections. */
  close(): Promise<void>;
}
