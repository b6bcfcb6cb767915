import type { Decider, DomainEvent } from './decider.ts';

/** A stream and the decider for its commands and events. */
export interface Aggregate<State extends object = object, Command = unknown, Event extends DomainEvent = DomainEvent> {
  stream: string;
  decider: Decider<State, Command, Event>;
  /**
   * The other stream that holds the first state, if there is one. A control begins in its framework's adoption, a link
   * in the evidence that was added with it. The aggregate's own stream then begins with its second event.
   */
  origin?: Origin<State>;
}

export interface Origin<State extends object> {
  // biome-ignore lint/suspicious/noExplicitAny: an aggregate of any family, whose state only `first` looks at
  aggregate: Aggregate<any, any, any>;
  /** Returns the first state from the origin's state. Null if the origin doesn't hold it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  firstState(state: any): State | null;
}
