/** What can happen to one append. `land` means that it was written before the answer got lost. */
export type AppendFault =
  | 'never-answer'
  | 'land-never-answer'
  /** The connection breaks, nothing was written. */
  | 'cut'
  | 'land-cut'
  /** Only meets batch appends: the server ends the call in good order, without an answer. */
  | 'end-batch-stream'
  /** The server cancels the call. */
  | 'land-cancel'
  /** The server's own commit time-out. */
  | 'land-timeout'
  /** Success, but without a position. */
  | 'no-position'
  /** A conflict, whatever is held. */
  | 'conflict';

/** What can happen to one read or to one subscription when it begins. `busy`: turned away, by a node that leads. */
export type ReadFault = 'never-answer' | 'break' | 'slow' | 'busy';

/** Misfortunes on command: each queue is used up one call at a time, in order. */
export class Faults {
  readonly appends: AppendFault[] = [];
  readonly reads: ReadFault[] = [];
  readonly subscriptions: ReadFault[] = [];
  /** The next subscriptions deliver this many records once more from before where they were asked to begin. */
  redeliver = 0;
  /** Where each subscription so far was asked to begin: a commit position, null for the beginning. */
  readonly subscribedAfter: (bigint | null)[] = [];
  /** How many events were sent so far, to readers and subscribers. */
  delivered = 0;
  /** Where calls that require the leader are told to go, while set. */
  leader: { host: string; port: number } | null = null;
  /** How calls that require the leader are turned away while nobody leads. */
  withoutLeader: 'NOT_READY' | 'NO_LEADER' | null = null;
  readonly #running = new Set<(how: 'end' | 'break') => void>();

  /** A running subscription registers how it can be stopped. */
  running(stop: (how: 'end' | 'break') => void): () => void {
    this.#running.add(stop);
    return () => this.#running.delete(stop);
  }

  get subscribers(): number {
    return this.#running.size;
  }

  /** Ends all subscriptions in good order: the client hears nothing of it. */
  endSubscriptions(): void {
    for (const stop of [...this.#running]) stop('end');
  }

  /** Breaks all subscriptions with an error. */
  breakSubscriptions(): void {
    for (const stop of [...this.#running]) stop('break');
  }
}
