import type { EventStore } from './event-store.ts';

/** Returns an event store that does what `events` does, but for these methods. */
export function decorateEventStore(events: EventStore, methods: Partial<EventStore>): EventStore {
  return {
    append: (...args) => events.append(...args),
    appendInOrder: (batches) => events.appendInOrder(batches),
    appendRow: (row) => events.appendRow(row),
    readStream: (...args) => events.readStream(...args),
    explainAbsence: (stream) => events.explainAbsence(stream),
    readAll: (after) => events.readAll(after),
    subscribeAll: (after, signal) => events.subscribeAll(after, signal),
    head: (after) => events.head(after),
    end: () => events.end(),
    check: () => events.check(),
    compareStorePositions: (a, b) => events.compareStorePositions(a, b),
    close: () => events.close(),
    ...methods,
  };
}
