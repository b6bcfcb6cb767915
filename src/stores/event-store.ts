import type { TrailEvent } from '../trail/event.ts';
import type { StoredJson } from '../trail/line.ts';

declare const position: unique symbol;

/** A place in the store's whole log. Opaque: only `compareStorePositions` of the adapter that gave it may read it. */
export type StorePosition = string & { readonly [position]: true };

export interface StoredEvent extends TrailEvent {
  storePosition: StorePosition;
  /** Data and metadata as JSON.stringify wrote them, where the store keeps them so: who writes them out need not do it again. */
  texts?: StoredJson;
}

/** `expectedRevision` of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** The most one append may hold in all, as the smallest of the stores has it (EventStoreDB: 1 MiB with its framing). */
export const MAX_APPEND_BYTES = 1_000_000;

/**
 * Every fact, in order, for ever. The promises, stated as tests in test/contract/event-store.ts:
 * expected revisions hold under concurrent writers; a batch lands whole or not at all; a verbatim retry succeeds and
 * appends nothing, also when later events follow; an event whose id is not its own is refused before anything is sent;
 * positions are exclusive (`after` is never returned again); a call always ends as success, refusal or StoreUnavailable.
 */
export interface EventStore {
  /**
   * Appends a batch to one stream. The events carry consecutive revisions from `expectedRevision + 1`.
   * @returns the position of the batch's last event (of the first time, when it is a verbatim retry)
   * @throws RevisionConflict when the stream is elsewhere and does not hold these very events already
   * @throws TooLarge over MAX_APPEND_BYTES
   * @throws StoreUnavailable when the store is away (`ambiguous` where it may have been done)
   * @throws TypeError when an event's id or hash is not its own, or revisions are not consecutive
   */
  append(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<StorePosition>;

  /** Returns a stream's events from a revision on, in order, at most `limit` of them; empty when there is no such stream. */
  readStream(stream: string, fromRevision?: number, limit?: number): Promise<StoredEvent[]>;

  /** All events after a position (null: from the beginning) up to the present end, in log order, in batches. */
  readAll(after: StorePosition | null): AsyncIterable<readonly StoredEvent[]>;

  /**
   * All events after a position and then those to come, in log order, in batches of what has piled up. Lives through
   * drops without missing or repeating an event; ends only when `signal` is aborted.
   */
  subscribeAll(after: StorePosition | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;

  /** Position of the newest event of ours, null in an empty store. */
  head(): Promise<StorePosition | null>;

  /** Negative, zero or positive as `a` is before, at or after `b`. */
  compareStorePositions(a: StorePosition, b: StorePosition): number;

  /** Ends all subscriptions, waits for what is under way and lets go of files and connections. */
  close(): Promise<void>;
}
