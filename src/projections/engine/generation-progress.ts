import { type EventStore, NO_ORGANIZATION, type StorePosition } from '../../stores/event-store.ts';
import type { Checkpoint } from '../../stores/read-store.ts';
import { isAheadOf } from '../../trail/recorded-order.ts';
import type { AppliedLeaves } from '../transparency/applied-leaves.ts';

/** The clocks of instances are presumed to differ by no more than this. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/**
 * The moment, in epoch milliseconds, before which every event has been applied. One that lies further ahead than clocks may
 * differ comes from a clock that was wrong. It doesn't count, not even once the time has come.
 */
export class CaughtUpMoment {
  private moment = 0;

  constructor(private readonly now: () => Date) {}

  /** 0 if no moment is known. */
  get value(): number {
    if (this.isAhead(this.moment)) this.moment = 0;
    return this.moment;
  }

  /** Notes a later moment. */
  include(moment: number): void {
    if (!this.isAhead(moment)) this.moment = Math.max(this.value, moment);
  }

  private isAhead(moment: number): boolean {
    return moment > this.now().getTime() + MAX_CLOCK_DIFFERENCE_MS;
  }
}

/** While a store is down, a call waits at most this long. That is enough for one more attempt. */
const OUTAGE_WAIT_MS = 1_000;

type RunnerRole = 'LEADER' | 'FOLLOWER';

/** The state of a runner, for the other threads of its process. It is plain data. */
export interface ProgressReport {
  role: RunnerRole;
  caughtUpAt: number;
  lastError: string | null;
  isStoreDown: boolean;
  pendingSince: number | null;
  /** Those that may have changed since the last report. */
  checkpoints: readonly Checkpoint[];
  /** The events that were applied since the last report; null if none were. */
  applied: AppliedLeaves | null;
}

/** The progress of one generation of read models through the log. Calls can wait for it. */
export abstract class GenerationProgress {
  role: RunnerRole = 'FOLLOWER';
  /** True once all events that the log had at some moment were applied. */
  hasCaughtUp = false;
  lastError: string | null = null;
  protected isStoreDown = false;
  protected checkpoints = new Map<string, Checkpoint>();
  /** recorded_at of the oldest event that has arrived but isn't applied, in epoch milliseconds. */
  protected pendingSince: number | null = null;
  protected readonly stopping = new AbortController();
  protected readonly waiters = new Waiters(this.stopping.signal);
  private outageTimer: NodeJS.Timeout | undefined;
  private readonly caughtUp: CaughtUpMoment;

  constructor(
    protected readonly order: Pick<EventStore, 'compareStorePositions'>,
    protected readonly now: () => Date,
  ) {
    this.caughtUp = new CaughtUpMoment(now);
  }

  /** Every event written before this moment (epoch milliseconds) can be read. */
  get caughtUpAt(): number {
    return this.caughtUp.value;
  }

  protected noteCaughtUp(moment: number): void {
    this.caughtUp.include(moment);
    if (moment > 0) this.hasCaughtUp = true;
  }

  /** Ends all waits. */
  async stop(): Promise<void> {
    this.stopping.abort();
  }

  get parked(): number {
    return [...this.checkpoints.values()].reduce((sum, checkpoint) => sum + checkpoint.parked, 0);
  }

  /** The number of events that were recorded before the log time. */
  get outOfOrder(): number {
    return [...this.checkpoints.values()].reduce((sum, checkpoint) => sum + checkpoint.outOfOrder, 0);
  }

  /** True while the log time of an organization is ahead of the clock. */
  get isClockBehindLog(): boolean {
    const now = this.now();
    return [...this.checkpoints.values()].some(({ logTime }) => isAheadOf(logTime, now));
  }

  /** Age in milliseconds of the oldest event that isn't applied yet. */
  get lag(): number {
    return this.pendingSince === null ? 0 : Math.max(0, this.now().getTime() - this.pendingSince);
  }

  get organizations(): string[] {
    return [...this.checkpoints.keys()].filter((id) => id !== NO_ORGANIZATION);
  }

  /** The number of unreadable rows of which nothing tells the organization. */
  get unattributed(): number {
    return this.checkpoint(NO_ORGANIZATION)?.position ?? 0;
  }

  checkpoint(organizationId: string): Checkpoint | null {
    return this.checkpoints.get(organizationId) ?? null;
  }

  /**
   * Waits up to `ms` until an organization's events up to a store position are applied. Returns false if they aren't.
   */
  waitUntilProjected(organizationId: string, storePosition: StorePosition, ms: number): Promise<boolean> {
    return this.wait(() => this.isProjected(organizationId, storePosition), ms);
  }

  /** Waits up to `ms` until every event written before `moment` is applied. Returns false if one isn't. */
  waitUntilCaughtUp(moment: number, ms: number): Promise<boolean> {
    return this.wait(() => this.caughtUpAt >= moment, ms);
  }

  protected wait(condition: () => boolean, ms: number): Promise<boolean> {
    return this.waiters.until(condition, this.isStoreDown ? Math.min(ms, OUTAGE_WAIT_MS) : ms);
  }

  protected startOutage(): void {
    if (this.isStoreDown) return;
    this.isStoreDown = true;
    this.outageTimer = setTimeout(() => this.waiters.endCurrent(), OUTAGE_WAIT_MS).unref();
  }

  protected endOutage(): void {
    this.isStoreDown = false;
    clearTimeout(this.outageTimer);
  }

  private isProjected(organizationId: string, storePosition: StorePosition): boolean {
    const checkpoint = this.checkpoints.get(organizationId);
    return checkpoint !== undefined && this.order.compareStorePositions(checkpoint.storePosition, storePosition) >= 0;
  }
}

/** Calls that wait for a condition, each with its own time limit. */
class Waiters {
  /** One function for each waiting call. It ends the wait if the condition is true, or in any case if `isLast`. */
  private readonly pending = new Set<(isLast: boolean) => void>();

  /** @param signal ends all waits. Later calls return at once */
  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.endCurrent(), { once: true });
  }

  /** Waits until `condition` is true; tests it now and at each `check`. Returns false if `ms` pass or the wait is ended first. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (this.signal.aborted || condition()) return Promise.resolve(condition());
    return new Promise((resolve) => {
      const settle = (isLast: boolean) => {
        const isTrue = condition();
        if (!isTrue && !isLast) return;
        clearTimeout(timer);
        this.pending.delete(settle);
        resolve(isTrue);
      };
      const timer = setTimeout(settle, ms, true);
      this.pending.add(settle);
    });
  }

  /** Tests the condition of every waiting call. */
  check(): void {
    for (const settle of [...this.pending]) settle(false);
  }

  /** Ends the current waits. Later calls can wait again. */
  endCurrent(): void {
    for (const settle of [...this.pending]) settle(true);
  }

  get size(): number {
    return this.pending.size;
  }
}
