import { checkAppend, checkDecisionAge } from '../../../src/stores/check-append.ts';
import { RevisionConflict } from '../../../src/stores/errors.ts';
import type {
  AppendCondition,
  EventStore,
  LogHead,
  ReadableEvent,
  StorePosition,
  StreamBatch,
} from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';

/** An event store in memory, for tests of many short histories. Its subscriptions end at the newest event. */
export class MemoryEventStore implements EventStore {
  readonly log: ReadableEvent[] = [];

  async append(
    stream: string,
    events: readonly TrailEvent[],
    expectedRevision: number,
    decidedAt?: number,
    condition?: AppendCondition,
  ): Promise<StorePosition> {
    checkAppend(stream, events, expectedRevision);
    checkDecisionAge({ stream, decidedAt, condition });
    const storedEvents = await this.readStream(stream);
    if (storedEvents.length - 1 !== expectedRevision) throw new RevisionConflict(stream, storedEvents.length - 1);
    for (const event of events)
      this.log.push({ ...event, storePosition: String(this.log.length + 1) as StorePosition });
    return this.log.at(-1)!.storePosition;
  }

  async appendInOrder(batches: readonly StreamBatch[]): Promise<StorePosition[]> {
    const positions: StorePosition[] = [];
    for (const { stream, events, expectedRevision } of batches) {
      positions.push(await this.append(stream, events, expectedRevision));
    }
    return positions;
  }

  appendRow(): Promise<StorePosition> {
    throw new Error('this store holds events only');
  }

  async readStream(stream: string, fromRevision = 0, limit?: number): Promise<ReadableEvent[]> {
    return this.log.filter((event) => event.stream === stream && event.revision >= fromRevision).slice(0, limit);
  }

  async explainAbsence(): Promise<null> {
    return null;
  }

  async *readAll(after: StorePosition | null): AsyncGenerator<readonly ReadableEvent[]> {
    const newEvents = this.log.slice(Number(after ?? 0));
    if (newEvents.length > 0) yield newEvents;
  }

  subscribeAll(after: StorePosition | null): AsyncIterable<readonly ReadableEvent[]> {
    return this.readAll(after);
  }

  async head(after: StorePosition | null): Promise<LogHead> {
    const end = await this.end();
    return { newest: Number(end) > Number(after ?? 0) ? end : null, end };
  }

  async end(): Promise<StorePosition> {
    return String(this.log.length) as StorePosition;
  }

  async check(): Promise<void> {}

  compareStorePositions(a: StorePosition, b: StorePosition): number {
    return Number(a) - Number(b);
  }

  async close(): Promise<void> {}
}
