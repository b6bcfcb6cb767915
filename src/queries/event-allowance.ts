import { setImmediate as turn } from 'node:timers/promises';
import { Refusal } from '../commands/refusal.ts';
import type { ReadAllowance } from '../projections/recomputed-changes.ts';

/** The most events that one verification reads, those of whole chains included. */
export const MAX_EVENTS_READ = 100_000;

/** Other calls get their turn after so many milliseconds. */
const PAUSE_INTERVAL_MS = 10;

/** Ends a verification that has read all that it may. */
export class AllowanceExhausted extends Error {}

/** Counts the events that a verification reads, gives way to other calls, and stops when the caller has left. */
export class EventAllowance implements ReadAllowance {
  count = 0;
  private lastTurn = performance.now();

  constructor(
    private readonly max = MAX_EVENTS_READ,
    private readonly signal?: AbortSignal,
    private readonly progress?: (events: number) => void,
  ) {}

  ask(wanted: number): number {
    const allowed = Math.min(wanted, this.max - this.count);
    if (allowed <= 0) throw new AllowanceExhausted();
    return allowed;
  }

  async read(events: number): Promise<void> {
    this.count += events;
    await this.pause();
  }

  /** Lets other calls have their turn where it is time for it. @throws Refusal when nobody waits for the answer */
  async pause(): Promise<void> {
    if (performance.now() - this.lastTurn < PAUSE_INTERVAL_MS) return;
    await turn();
    this.lastTurn = performance.now();
    if (this.signal?.aborted) throw new Refusal('unavailable', 'The request was cancelled.');
    this.progress?.(this.count);
  }
}
