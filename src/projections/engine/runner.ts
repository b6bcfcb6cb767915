import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Fenced, StoreUnavailable } from '../../stores/errors.ts';
import type { EventStore, StorePosition } from '../../stores/event-store.ts';
import type { Checkpoint, ReadModels, ReadStore } from '../../stores/read-store.ts';
import { Applier } from './applier.ts';
import { LeaseHold } from './lease.ts';

export interface RunnerOptions {
  events: EventStore;
  reads: ReadStore;
  models: ReadModels;
  installation: string;
  /** True if no other server can run on these stores. The lease is then taken over without waiting for its end. */
  exclusive: boolean;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Called after each batch that was applied. */
  onTiming?: ((details: { ms: number; events: number }, message: string) => void) | undefined;
}

const LEASE_RENEWAL_MS = 1_000;
/** Pause between a follower's reads of the leader's progress while a call waits. */
const FOLLOWER_POLL_MS = 15;
const RETRY_MS = 500;
/** While a store is down, a call waits at most this long. That is enough for one more attempt. */
const OUTAGE_WAIT_MS = 1_000;

type RunnerRole = 'LEADER' | 'FOLLOWER';

/**
 * Keeps one generation of read models up to date. As leader it applies events; as follower it watches the leader's
 * checkpoints. After any error it discards its memory and starts again from the stored checkpoints.
 */
export class Runner {
  role: RunnerRole = 'FOLLOWER';
  /** Every event written before this moment (epoch milliseconds) can be read. */
  caughtUpAt = 0;
  lastError: string | null = null;
  private isStoreDown = false;
  private outageTimer: NodeJS.Timeout | undefined;
  private readonly lease: LeaseHold;
  private readonly stopping = new AbortController();
  private readonly waiters = new Waiters(this.stopping.signal);
  private checkpoints = new Map<string, Checkpoint>();
  private storePosition: StorePosition | null = null;
  /** recorded_at of the oldest event that has arrived but isn't applied, in epoch milliseconds. */
  private pendingSince: number | null = null;
  private runLoop: Promise<void> = Promise.resolve();
  private isFollowing = false;
  private currentRenewal: Promise<void> = Promise.resolve();
  private nextRenewal: Promise<void> | null = null;

  constructor(private readonly options: RunnerOptions) {
    this.lease = new LeaseHold(options.reads, options.models.generation, randomUUID(), options.exclusive);
  }

  start(): void {
    this.runLoop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.runLoop;
  }

  get parked(): number {
    return [...this.checkpoints.values()].reduce((sum, checkpoint) => sum + checkpoint.parked, 0);
  }

  /** Age in milliseconds of the oldest event that isn't applied yet. */
  get lag(): number {
    return this.pendingSince === null ? 0 : Math.max(0, Date.now() - this.pendingSince);
  }

  get organizations(): string[] {
    return [...this.checkpoints.keys()];
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
    if (this.caughtUpAt < moment && this.role === 'LEADER') this.requestRenewal().catch(() => undefined);
    return this.wait(() => this.caughtUpAt >= moment, ms);
  }

  private isProjected(organizationId: string, storePosition: StorePosition): boolean {
    const checkpoint = this.checkpoints.get(organizationId);
    return (
      checkpoint !== undefined &&
      this.options.events.compareStorePositions(checkpoint.storePosition, storePosition) >= 0
    );
  }

  private wait(condition: () => boolean, ms: number): Promise<boolean> {
    const waiting = this.waiters.until(condition, this.isStoreDown ? Math.min(ms, OUTAGE_WAIT_MS) : ms);
    if (this.role === 'FOLLOWER') void this.follow();
    return waiting;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        if (await this.lease.take()) await this.lead();
        else await this.readLeadersProgress();
        this.lastError = null;
      } catch (error) {
        this.role = 'FOLLOWER';
        this.startOutage(error);
        this.lastError = error instanceof Error ? error.message : String(error);
        if (!(error instanceof Fenced)) this.options.log.warn({ err: error }, 'projections: failed, restarting');
      }
      await this.pause(RETRY_MS);
    }
    await this.lease.release().catch(() => undefined);
  }

  private async lead(): Promise<void> {
    const applier = new Applier(this.options.events, this.options.models, this.options.installation);
    await applier.prepare();
    this.checkpoints = applier.checkpoints;
    this.storePosition = this.lease.current?.store_position ?? null;
    this.role = 'LEADER';
    this.endOutage();
    const failure = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, failure.signal]);
    const fail = (error: unknown) => {
      this.startOutage(error);
      failure.abort(error);
    };
    const renewalTimer = setInterval(() => this.requestRenewal().catch(fail), LEASE_RENEWAL_MS);
    try {
      this.requestRenewal().catch(fail);
      for await (const events of this.options.events.subscribeAll(this.storePosition, signal)) {
        if (signal.aborted) break;
        this.pendingSince = Date.parse(events[0]!.metadata.recorded_at);
        const started = performance.now();
        await applier.apply(events);
        this.options.onTiming?.(
          { events: events.length, ms: Math.round(performance.now() - started) },
          'projection batch',
        );
        this.storePosition = events.at(-1)!.storePosition;
        this.pendingSince = null;
        this.waiters.check();
      }
      // An aborted subscription ends without an error. The failed renewal that aborted it must still be reported.
      failure.signal.throwIfAborted();
    } finally {
      clearInterval(renewalTimer);
      this.role = 'FOLLOWER';
    }
  }

  private startOutage(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) return;
    if (this.isStoreDown) return;
    this.isStoreDown = true;
    this.outageTimer = setTimeout(() => this.waiters.endCurrent(), OUTAGE_WAIT_MS).unref();
  }

  private endOutage(): void {
    this.isStoreDown = false;
    clearTimeout(this.outageTimer);
  }

  /** Renews the lease, one renewal at a time. Calls during a renewal share the next one. */
  private requestRenewal(): Promise<void> {
    this.nextRenewal ??= this.currentRenewal.then(() => {
      this.nextRenewal = null;
      const stamp = this.renewLease();
      this.currentRenewal = stamp.catch(() => undefined);
      return stamp;
    });
    return this.nextRenewal;
  }

  /** Renews the lease with the progress of all organizations. @throws Fenced when another instance has the lease */
  private async renewLease(): Promise<void> {
    const moment = Date.now();
    const head = await this.options.events.head();
    const isBehind = head !== null && (this.storePosition === null || this.compare(this.storePosition, head) < 0);
    if (isBehind)
      await this.wait(
        () => this.storePosition !== null && this.compare(this.storePosition, head) >= 0,
        LEASE_RENEWAL_MS,
      );
    const isCaughtUp = head === null || (this.storePosition !== null && this.compare(this.storePosition, head) >= 0);
    const caughtUpAt = isCaughtUp ? Math.max(moment, this.caughtUpAt) : this.caughtUpAt;
    // Renewing a released lease would make other instances wait.
    if (this.stopping.signal.aborted) return;
    if (!(await this.lease.renew(caughtUpAt, this.storePosition))) {
      if ((await this.lease.take()) === false) throw new Fenced('another instance runs the projections now');
    }
    this.caughtUpAt = caughtUpAt;
    if (isCaughtUp) this.lastError = null;
    this.waiters.check();
  }

  private compare(a: StorePosition, b: StorePosition): number {
    return this.options.events.compareStorePositions(a, b);
  }

  /** Reads the leader's lease and checkpoints. */
  private async readLeadersProgress(): Promise<void> {
    const lease = await this.lease.read();
    // Read after the lease and set before `caughtUpAt`, so that a call that sees the new `caughtUpAt` also sees its
    // checkpoints.
    for (const checkpoint of await this.options.models.checkpoints()) {
      if (checkpoint.n > (this.checkpoints.get(checkpoint.organizationId)?.n ?? 0)) {
        this.checkpoints.set(checkpoint.organizationId, checkpoint);
      }
    }
    this.caughtUpAt = Math.max(this.caughtUpAt, lease?.caught_up_at ?? 0);
    this.pendingSince = null;
    this.endOutage();
    this.waiters.check();
  }

  /** Polls the leader's progress while any call waits. All waiting calls share one loop. */
  private async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    while (this.waiters.size > 0 && this.role === 'FOLLOWER' && !this.stopping.signal.aborted) {
      await this.readLeadersProgress().catch(() => undefined);
      await this.pause(FOLLOWER_POLL_MS);
    }
    this.isFollowing = false;
  }

  /** Waits, or returns at once when the runner stops. */
  private pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
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
