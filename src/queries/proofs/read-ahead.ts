import { EVENTS_PER_READ, type EventReader } from '../../projections/history/recomputed-changes.ts';
import type { StoredEvent, StorePosition } from '../../stores/event-store.ts';

const MAX_CONCURRENT_READS = 16;

/** A read of a stream's first events that was begun before it was asked for. */
interface BegunRead {
  limit: number;
  events: Promise<StoredEvent[]>;
}

/**
 * Reads the first events of several streams at the same time, before they are asked for. On EventStoreDB, each read is a
 * round trip.
 */
export class ReadAhead implements EventReader {
  /** Streams that will be asked for, with the number of events. */
  private readonly expected = new Map<string, number>();
  private readonly begun = new Map<string, BegunRead>();

  constructor(private readonly events: EventReader) {}

  /** Begins to read streams that will be asked for, in about this order. @param streams with the number of events of each */
  expect(streams: Iterable<readonly [stream: string, events: number]>): void {
    for (const [stream, events] of streams) {
      const limit = Math.min(Math.max(events, this.expected.get(stream) ?? 0), EVENTS_PER_READ);
      if (!this.begun.has(stream)) this.expected.set(stream, limit);
    }
    this.beginReads();
  }

  /** Reads a stream as the event store does. */
  async readStream(stream: string, fromRevision: number, limit: number): Promise<StoredEvent[]> {
    const begunRead = this.begun.get(stream);
    this.expected.delete(stream);
    this.begun.delete(stream);
    this.beginReads();
    if (begunRead === undefined || fromRevision > 0 || begunRead.limit < limit) {
      return this.events.readStream(stream, fromRevision, limit);
    }
    return (await begunRead.events).slice(0, limit);
  }

  compareStorePositions(a: StorePosition, b: StorePosition): number {
    return this.events.compareStorePositions(a, b);
  }

  private beginReads(): void {
    for (const [stream, limit] of this.expected) {
      if (this.begun.size >= MAX_CONCURRENT_READS) return;
      this.expected.delete(stream);
      const events = this.events.readStream(stream, 0, limit);
      // An error is thrown when the events are asked for.
      events.catch(() => undefined);
      this.begun.set(stream, { limit, events });
    }
  }
}
