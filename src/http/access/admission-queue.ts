import { monotonicMs } from '../../clock/monotonic.ts';

/** An account may begin requests for this long in one turn of the event loop. */
const MAX_MS = 2;

/**
 * Lets accounts take turns in the event loop. Without it, the requests of 100 connections of one account would be answered in
 * one turn of the loop. Requests of others would wait for its end, up to 33 ms of CPU.
 *
 * A request that is alone begins at once. After 2 ms of its account's requests, the next ones wait: one of each account
 * begins in each further turn of the loop.
 */
export class AdmissionQueue {
  /** The time at which each account's first request of this turn of the loop began. */
  private readonly startedAt = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private isScheduled = false;

  /** @param now milliseconds of any clock */
  constructor(private readonly now: () => number = monotonicMs) {}

  /** Returns undefined if the account's request may begin now, otherwise a promise for its turn. */
  wait(account: string): Promise<void> | undefined {
    if (!this.isScheduled) {
      this.isScheduled = true;
      setImmediate(() => this.nextTurn());
    }
    const queue = this.waiting.get(account);
    if (queue !== undefined) return new Promise((resolve) => void queue.push(resolve));
    const now = this.now();
    const startedAt = this.startedAt.get(account);
    if (startedAt === undefined) this.startedAt.set(account, now);
    if (now - (startedAt ?? now) < MAX_MS) return undefined;
    return new Promise((resolve) => void this.waiting.set(account, [resolve]));
  }

  private nextTurn(): void {
    this.startedAt.clear();
    for (const [account, queue] of this.waiting) {
      queue.shift()!();
      if (queue.length === 0) this.waiting.delete(account);
    }
    this.isScheduled = this.waiting.size > 0;
    if (this.isScheduled) setImmediate(() => this.nextTurn());
  }
}
