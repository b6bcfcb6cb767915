import { type EventStoreDBClient, StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client';
import { monotonicMs } from '../../clock/monotonic.ts';
import { StoreReplaced, StoreUnavailable } from '../errors.ts';
import type { StoredEvent, StorePosition } from '../event-store.ts';
import { explainAbsence } from './absence.ts';
import { collect } from './calls.ts';
import { compareStorePositions, storePositionOf } from './events.ts';

/** A node that was just elected may not show the newest events yet. After this time without them, they are lost. */
const INDEXING_MS = 2000;

type KnownEvent = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'storePosition'>;

/**
 * Recognises the log by the newest event of veritrail that this process has seen. It is looked up on each new connection,
 * because a server that was restarted on an older copy of the log, or without any, answers like the right one.
 */
export class LogIdentity {
  #known: KnownEvent | null = null;
  /** When the event was first missing, in monotonic milliseconds. */
  #missingSince: number | null = null;

  get storePosition(): StorePosition | null {
    return this.#known?.storePosition ?? null;
  }

  /** Takes an event if it is newer than the known one. Only an event that the server has acknowledged or sent. */
  remember(event: KnownEvent | undefined): void {
    if (event === undefined || !this.#isBefore(event.storePosition)) return;
    const { stream, revision, id, storePosition } = event;
    this.#known = { stream, revision, id, storePosition };
  }

  /** Returns false if something is already known at or after this position. */
  #isBefore(storePosition: StorePosition): boolean {
    return this.#known === null || compareStorePositions(this.#known.storePosition, storePosition) < 0;
  }

  /**
   * Looks the event up on a node that was just found.
   * @throws StoreReplaced if the node's log doesn't have it; StoreUnavailable while the node may only not show it yet
   */
  async confirmOnNewNode(client: EventStoreDBClient, ms: number): Promise<void> {
    try {
      await this.confirm(client, ms);
      this.#missingSince = null;
    } catch (error) {
      if (!(error instanceof EventMissing)) throw error;
      this.#missingSince ??= monotonicMs();
      const isLate = monotonicMs() - this.#missingSince >= INDEXING_MS;
      throw isLate ? error : new StoreUnavailable('the node lacks the newest events');
    }
  }

  /** Looks the event up on a node. @throws StoreReplaced if the node's log doesn't have it */
  async confirm(client: EventStoreDBClient, ms: number): Promise<void> {
    if (this.#known === null) return;
    const { stream, revision, id, storePosition } = this.#known;
    const options = { fromRevision: BigInt(revision), maxCount: 1, requiresLeader: true } as const;
    const [read] = await collect(client.readStream(stream, options), ms).catch(ignoreAbsent);
    const found = read?.event;
    if (found?.revision === BigInt(revision)) {
      if (found.id !== id || storePositionOf(found.position!) !== storePosition) throw new StoreReplaced(REPLACED);
      return;
    }
    // A stream that was deleted or cut says nothing about the rest of the log.
    if ((await explainAbsence(client, stream, ms)) === null) throw new EventMissing(REPLACED);
  }
}

const REPLACED =
  'The event store lacks the newest event that the service has seen: an older copy of the log, an empty server or another one took its place.';

/** Nothing stands in the event's place. */
class EventMissing extends StoreReplaced {}

function ignoreAbsent(error: unknown): [] {
  if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError) return [];
  throw error;
}
