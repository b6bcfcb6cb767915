import type { ReadableEvent, StoredEvent } from '../../../src/stores/event-store.ts';

/** Returns events that must all be readable. */
export function readable(events: readonly StoredEvent[]): ReadableEvent[] {
  return events.map((event) => {
    if (event.data === null)
      throw new Error(`${event.stream}, revision ${event.revision}, can't be read: ${event.fault}`);
    return event;
  });
}
