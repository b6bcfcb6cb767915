import type { Aggregate, DomainEvent } from './decider.ts';
import { recordRevision, type StreamState } from './stream-state.ts';

/** Returns the outcome that new events of a stream have. */
export function rehearsalOf<State extends object, Event extends DomainEvent>(
  { decider }: Aggregate<State, never, Event>,
  current: StreamState<State>,
  newEvents: readonly DomainEvent[],
) {
  const before = current.state;
  const state = newEvents.reduce<State | null>((s, event) => decider.evolve(s, event as Event), before);
  const event_types = newEvents.map(({ type }) => type);
  const revision = recordRevision(current);
  return { event_types, repeated: false, isNewRecord: before === null, before, state, revision };
}
