import type { Role } from './caller.ts';

/** What a decision may know of the world: no clock, no randomness, no store is reached from a decider. */
export interface DecisionContext {
  /** RFC 3339 UTC with milliseconds; becomes the events' recorded_at. */
  now: string;
  /** The UTC date of `now`. */
  today: string;
  /** Who decides, and as what in this organization. */
  actor_id: string;
  role: Role;
  /** The most days ahead that a risk may be accepted for. */
  maxAcceptanceDays: number;
}

export interface DomainEvent<Type extends string = string, Data extends object = object> {
  type: Type;
  data: Data;
}

/**
 * An aggregate as pure functions. `null` is the state of what does not exist.
 * `decide` answers the facts that follow from a command (none when nothing changes) or throws a Refusal;
 * `evolve` folds one fact and never refuses.
 */
export interface Decider<State extends object, Command, Event extends DomainEvent> {
  decide(command: Command, state: State | null, context: DecisionContext): Event[];
  evolve(state: State | null, event: Event): State;
}
