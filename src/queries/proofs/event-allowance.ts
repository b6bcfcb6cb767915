import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadAllowance } from '../../projections/history/recomputed-changes.ts';

/** Events that one verification may read, including those of whole chains. */
export const MAX_EVENTS_READ = 100_000;

/** After this time a verification lets other calls run. */
const PAUSE_INTERVAL_MS = 10;

/** Thrown when a verification has read all the events that it may. */
export class AllowanceExhausted extends Error {}

/** Counts the events that a verification reads, lets other calls run, and stops when the caller disconnects. */
export class EventAllowance implements ReadAllowance {
  count = 0;
  private lastPauseAt = performance.now();

  constructor(
    private readonly max = MAX_EVENTS_READ,
    private readonly signal?: AbortSignal,
    private readonly progress?: (events: number) => void,
  ) {}

  allow(requested: number): number {
    const allowed = Math.min(requested, this.max - this.count);
    if (allowed <= 0) throw new AllowanceExhausted();
    return allowed;
  }

  async recordRead(events: number): Promise<void> {
    this.count += events;
    await this.pause();
  }

  /** Lets other calls run if it is time. @throws the signal's reason if the caller has disconnected */
  async pause(): Promise<void> {
    if (performance.now() - this.lastPauseAt < PAUSE_INTERVAL_MS) return;
    await nextTurn();
    this.lastPauseAt = performance.now();
    this.signal?.throwIfAborted();
    this.progress?.(this.count);
  }
}
