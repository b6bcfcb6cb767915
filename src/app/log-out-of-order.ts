import type { StoredEvent } from '../stores/event-store.ts';

/** Limit of remembered events. Beyond it, one may be logged again. */
const MAX_REMEMBERED = 10_000;

/** Returns a function that logs events that were recorded out of order, each once. */
export function logOutOfOrder(log: { warn(details: object, message: string): void }) {
  const logged = new Set<string>();
  return (events: readonly StoredEvent[]): void => {
    const newEvents = events.filter(({ id }) => !logged.has(id));
    const [first] = newEvents;
    if (first === undefined) return;
    if (logged.size + newEvents.length > MAX_REMEMBERED) logged.clear();
    for (const { id } of newEvents) logged.add(id);
    const { stream, revision, type, metadata } = first;
    const { organization_id, recorded_at } = metadata;
    log.warn(
      { organization_id, stream, revision, type, recorded_at, events: newEvents.length },
      'events were recorded out of order: see "Recorded out of order" in docs/operations.md',
    );
  };
}
