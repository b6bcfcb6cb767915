import type { Decider, DomainEvent } from './decider.ts';

/** A stream, and what its events and commands mean. */
export interface Aggregate<State extends object = object, Command = unknown, Event extends DomainEvent = DomainEvent> {
  stream: string;
  decider: Decider<State, Command, Event>;
  /**
   * Where its first state stands, when that is in another's stream: a control's in its framework's adoption, a link's
   * in the evidence that came with it. Its own stream then begins with the second fact about it.
   */
  origin?: Origin<State>;
}

export interface Origin<State extends object> {
  // biome-ignore lint/suspicious/noExplicitAny: an aggregate of any family, whose state only `first` looks at
  aggregate: Aggregate<any, any, any>;
  /** The first state by the origin's; null where it says nothing of it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  first(state: any): State | null;
}
