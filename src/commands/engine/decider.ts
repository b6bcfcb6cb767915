import type { EventSchemas } from '../../register/event-schema.ts';
import type { TrailEvent } from '../../trail/event.ts';
import type { Role } from '../organization/caller.ts';

/** A decider's only input apart from command and state. Deciders use no clock, no store and no randomness. */
export interface DecisionContext {
  /** RFC 3339 UTC with milliseconds. Becomes the events' `recorded_at`. */
  now: string;
  /** The UTC date of `now`. */
  today: string;
  /** The account that gives the command, or SYSTEM, and its role in this organization. */
  actor_id: string;
  role: Role;
  /** The account's own role, if a credential may limit it to `role`. Only refusals mention it. */
  memberRole?: Role | undefined;
  maxAcceptanceDays: number;
  /** The stream's past, for a command that looks back. */
  past?: Past | undefined;
}

/** The events that led to a state, and the state before them, which another stream holds. Null if none does. */
export interface Past {
  firstState: object | null;
  events: readonly TrailEvent[];
}

export interface DomainEvent<Type extends string = string, Data extends object = object> {
  type: Type;
  data: Data;
}

/**
 * An aggregate as pure functions. The state is `null` before the first event.
 * The function `decide` returns the events that a command leads to, or throws a Refusal. It returns no events if nothing
 * changes. The function `evolve` applies one event and never refuses.
 */
export interface Decider<State extends object, Command, Event extends DomainEvent> {
  /** The events that it knows, by type. A newer version of the service may write others. */
  events: EventSchemas;
  decide(command: Command, state: State | null, context: DecisionContext): Event[];
  /** Returns true for a command that is decided by the past too, not by the state alone. By default none is. */
  looksBack?(command: Command): boolean;
  evolve(state: State | null, event: Event): State;
}

/** Returns the state that an event builds on. @throws Error without one, because what has happened can't be refused */
export function stateBefore<State>({ type }: DomainEvent, state: State | null | undefined): State {
  if (state === null || state === undefined) throw new Error(`${type} does not fit the events before it`);
  return state;
}

/** A stream and the decider for its commands and events. */
export interface Aggregate<State extends object = object, Command = unknown, Event extends DomainEvent = DomainEvent> {
  stream: string;
  decider: Decider<State, Command, Event>;
  /**
   * The other stream that holds the first state, if there is one. A control begins in its framework's adoption, a link
   * in the evidence that was added with it. The aggregate's own stream then begins with its second event.
   */
  origin?: Origin<State>;
  /** Another stream whose events set the state too. */
  companion?: Companion<State>;
}

export interface Origin<State extends object> {
  // biome-ignore lint/suspicious/noExplicitAny: an aggregate of any family, whose state only `firstState` looks at
  aggregate: Aggregate<any, any, any>;
  /** Returns the first state from the origin's state. Null if the origin doesn't hold it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  firstState(state: any): State | null;
}

/**
 * A stream whose events set the states of many aggregates at once, such as the crosswalk that links many pairs of
 * controls. Of its event and the aggregate's own newest one, the later in the log counts.
 */
export interface Companion<State extends object> {
  // biome-ignore lint/suspicious/noExplicitAny: an aggregate of any kind, whose state only `stateIn` looks at
  aggregate: Aggregate<any, any, any>;
  /** Returns the state that it set last, and the revision of its event that did. Null if none did. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  stateIn(state: any): { state: State; revision: number } | null;
}
