import { monotonicMs } from './monotonic.ts';

/** An account may begin steps for this long in one turn of the event loop. */
const MAX_MS = 2;
/** And this many: those that have begun have perhaps not used their time yet. */
const MAX_STEPS = 10;

/**
 * Lets accounts take turns in the event loop. Without it, the requests of 100 connections of one account would be answered in
 * one turn of the loop, and 100 imports would rehearse all their rows in it. Requests of others would wait for its end.
 *
 * A step is a request, or a part of a long call such as one row. A step that is alone begins at once. After 2 ms or ten
 * of its account's steps, the next ones wait: one of each account begins in each further turn of the loop.
 */
export class EventLoopQueue {
  /** The steps of each account that began in this turn of the loop, and the time of its first. */
  private readonly begun = new Map<string, { steps: number; since: number }>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private isScheduled = false;

  /** @param now milliseconds of any clock */
  constructor(private readonly now: () => number = monotonicMs) {}

  /** Returns undefined if the account's step may begin now, otherwise a promise for its turn. */
  wait(account: string): Promise<void> | undefined {
    if (!this.isScheduled) {
      this.isScheduled = true;
      setImmediate(() => this.nextTurn());
    }
    const queue = this.waiting.get(account);
    if (queue !== undefined) return new Promise((resolve) => void queue.push(resolve));
    const begun = this.begun.get(account);
    if (begun === undefined) {
      this.begun.set(account, { steps: 1, since: this.now() });
      return undefined;
    }
    begun.steps += 1;
    if (begun.steps <= MAX_STEPS && this.now() - begun.since < MAX_MS) return undefined;
    return new Promise((resolve) => void this.waiting.set(account, [resolve]));
  }

  private nextTurn(): void {
    this.begun.clear();
    for (const [account, queue] of this.waiting) {
      queue.shift()!();
      if (queue.length === 0) this.waiting.delete(account);
    }
    this.isScheduled = this.waiting.size > 0;
    if (this.isScheduled) setImmediate(() => this.nextTurn());
  }
}

export const eventLoopQueue = new EventLoopQueue();
