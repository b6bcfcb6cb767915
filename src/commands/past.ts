import { isDeepStrictEqual } from 'node:util';
import type { TrailEvent } from '../trail/event.ts';
import type { Decider, DomainEvent, Past } from './engine/decider.ts';
import { applyStoredEvent } from './engine/stream-state.ts';

/*
 * Takes back what some events of a record did. The events stay in the log. A new event sets the fields that would be
 * different without them.
 *
 * Example: a vendor is SUSPENDED, then a review makes it APPROVED and its next review due in 2027, then somebody moves that
 * to 2026. Without the review the vendor is SUSPENDED, and its next review is due in 2026 all the same. So the new event
 * sets the status, and leaves what the later change touched.
 */

type Evolution<State extends object> = Pick<Decider<State, never, DomainEvent>, 'events' | 'evolve'>;

/** Returns true for an event to leave out. */
type Test = (event: TrailEvent) => boolean;

/** Returns the test for events of a call. */
export const isOfCall =
  (callId: string): Test =>
  ({ metadata }) =>
    metadata.correlation_id === callId;

/**
 * Returns a past's events without some, and without those that were taken back before: an undo cancels a call, and a
 * withdrawal an event. Such an event and what it cancels are left out together, so the past reads as if neither had been.
 * An undo of what another stream holds counts, such as that of an imported crosswalk. The events by which a record was
 * added always count.
 */
export function countingEvents({ firstState, events }: Past, isLeftOut: Test = () => false): TrailEvent[] {
  const addedBy = firstState === null ? events[0]?.metadata.correlation_id : undefined;
  const ids = new Set(events.flatMap(({ id, metadata }) => [id, metadata.correlation_id]));
  const cancelledIds = new Set<string>();
  const counting: TrailEvent[] = [];
  for (const event of [...events].reverse()) {
    const { causation_id, correlation_id } = event.metadata;
    if (isLeftOut(event) || cancelledIds.has(event.id) || cancelledIds.has(correlation_id)) continue;
    // A withdrawal may have a cause too: the approval of a proposal, which is in another stream.
    const cancelledId = [causation_id, event.data.event_id].find((id) => ids.has(id as string)) as string | undefined;
    if (cancelledId !== undefined && cancelledId !== addedBy) cancelledIds.add(cancelledId);
    else counting.push(event);
  }
  return counting.reverse();
}

/** Returns the state that events lead to, and for each event the state before and after it. */
export function replay<State extends object>(
  decider: Evolution<State>,
  { firstState }: Pick<Past, 'firstState'>,
  events: readonly TrailEvent[],
): { state: State | null; steps: { event: TrailEvent; before: State | null; after: State }[] } {
  let state = firstState as State | null;
  const steps = events.map((event) => {
    const before = state;
    const after = applyStoredEvent(decider, before, event);
    state = after;
    return { event, before, after };
  });
  return { state, steps };
}

/** Returns the fields of a state that differ in another one, with the values that they have there. */
export function differingFields<State extends object>(state: State, other: State): Partial<State> {
  const names = (Object.keys(other) as (keyof State)[]).filter((name) => !isDeepStrictEqual(state[name], other[name]));
  return Object.fromEntries(names.map((name) => [name, other[name]])) as Partial<State>;
}
