import type { EventStore, LogHead, StoredEvent, StorePosition } from '../../../src/stores/event-store.ts';
import { withOverrides } from '../with-overrides.ts';

/** Positions between two of our events, for those of other programs. */
const GAP = 100_000_000;

/** A log in which other programs have written any number of events after our newest one. They are counted, not stored. */
export class SharedLog {
  /** Other programs' events after our newest one. */
  foreignCount = 0;
  /** Other programs' events that were read backwards from the end of the log. */
  readBackwards = 0;
  readonly store: EventStore;

  constructor(private readonly ours: EventStore) {
    this.store = withOverrides(ours, {
      append: async (...args) => toShared(await ours.append(...args)),
      readStream: async (...args) => (await ours.readStream(...args)).map(toSharedEvent),
      readAll: (after) => toSharedBatches(ours.readAll(toOurs(after))),
      subscribeAll: (after, signal) => toSharedBatches(ours.subscribeAll(toOurs(after), signal)),
      head: (after) => this.head(after),
      end: () => this.end(),
    });
  }

  private async end(): Promise<StorePosition> {
    return String(Number(toShared(await this.ours.end())) + this.foreignCount) as StorePosition;
  }

  private async head(after: StorePosition | null): Promise<LogHead> {
    const end = await this.end();
    const newest = toShared(await this.ours.end());
    const isAfter = Number(newest) > Number(after ?? 0);
    this.readBackwards += Number(end) - Number(isAfter ? newest : (after ?? 0));
    return { newest: isAfter ? newest : null, end };
  }
}

function toShared(position: StorePosition): StorePosition {
  return String(Number(position) * GAP) as StorePosition;
}

function toOurs(position: StorePosition | null): StorePosition | null {
  return position === null ? null : (String(Math.floor(Number(position) / GAP)) as StorePosition);
}

function toSharedEvent(event: StoredEvent): StoredEvent {
  return { ...event, storePosition: toShared(event.storePosition) };
}

async function* toSharedBatches(batches: AsyncIterable<readonly StoredEvent[]>): AsyncIterable<StoredEvent[]> {
  for await (const batch of batches) yield batch.map(toSharedEvent);
}
