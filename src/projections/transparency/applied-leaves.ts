import type { StoredEvent, StorePosition } from '../../stores/event-store.ts';
import { recomputedLeaf } from './event-leaf.ts';

/** The leaf of one event, computed again from the event as the log returned it. */
export interface AppliedLeaf {
  organizationId: string;
  storePosition: StorePosition;
  leaf: string;
}

/** The leaves of all events between two store positions, of all organizations and in log order. It is plain data. */
export interface AppliedLeaves {
  /** The events after this one were read, up to and including `upTo`. Null: from the beginning of the log. */
  after: StorePosition | null;
  upTo: StorePosition;
  leaves: readonly AppliedLeaf[];
}

/** Returns the leaves of events that a runner has read and applied. @param after the store position before the first */
export function toAppliedLeaves(after: StorePosition | null, events: readonly StoredEvent[]): AppliedLeaves {
  const leaves = events.map((event) => ({
    organizationId: event.metadata.organization_id,
    storePosition: event.storePosition,
    leaf: recomputedLeaf(event),
  }));
  return { after, upTo: events.at(-1)!.storePosition, leaves };
}
