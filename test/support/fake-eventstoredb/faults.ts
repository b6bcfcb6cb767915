/** Faults of one append. `land` means that it was written before the answer was lost. */
export type AppendFault =
  | 'never-answer'
  | 'land-never-answer'
  /** The connection breaks, nothing was written. */
  | 'disconnect'
  | 'land-cut'
  /** The server ends the call properly, without an answer. */
  | 'end-call'
  /** The server cancels the call. */
  | 'land-cancel'
  /** The server's commit time-out. */
  | 'land-timeout'
  /** Success, but without a position. */
  | 'no-position'
  /** A conflict, even if the expected revision is right. */
  | 'conflict';

/** Faults of one read, or of one subscription at its start. `busy`: the leader refuses it. */
export type ReadFault = 'never-answer' | 'break' | 'slow' | 'busy';

/** Faults on request. Each call takes the next fault of its queue. */
export class Faults {
  readonly appends: AppendFault[] = [];
  readonly reads: ReadFault[] = [];
  readonly subscriptions: ReadFault[] = [];
  /** The next subscription delivers this many records before its start again. */
  redeliver = 0;
  /** The start of each subscription: a commit position, or null for the beginning. */
  readonly subscribedAfter: (bigint | null)[] = [];
  /** Number of checks that the node leads. */
  probeCount = 0;
  /** Number of events sent to readers and subscribers. */
  deliveredCount = 0;
  /** The leader that calls which require one are sent to, if set. */
  leader: { host: string; port: number } | null = null;
  /** The error of calls that require a leader, while there is none. */
  withoutLeader: 'NOT_READY' | 'NO_LEADER' | null = null;
  readonly #running = new Set<(how: 'end' | 'break') => void>();

  /** Registers a running subscription with a function that stops it. */
  running(stop: (how: 'end' | 'break') => void): () => void {
    this.#running.add(stop);
    return () => this.#running.delete(stop);
  }

  get subscribers(): number {
    return this.#running.size;
  }

  /** Ends all subscriptions properly, without an error. */
  endSubscriptions(): void {
    for (const stop of [...this.#running]) stop('end');
  }

  /** Breaks all subscriptions with an error. */
  breakSubscriptions(): void {
    for (const stop of [...this.#running]) stop('break');
  }
}
