import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Fenced, StoreUnavailable } from '../../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition } from '../../stores/event-store.ts';
import type { Checkpoint, ReadModels, ReadStore } from '../../stores/read-store.ts';
import { type AppliedLeaves, toAppliedLeaves } from '../transparency/applied-leaves.ts';
import { Applier } from './applier.ts';
import { GenerationProgress, type ProgressReport } from './generation-progress.ts';
import { LeaseHold } from './lease.ts';

export interface RunnerOptions {
  events: EventStore;
  reads: ReadStore;
  models: ReadModels;
  installation: string;
  /** Id of this instance. A successor with the same id takes over its leases at once. By default a new one. */
  holder?: string | undefined;
  /** The time of the service, which `caughtUpAt` is compared with. */
  now: () => Date;
  /** True if no other server can run on these stores. The lease is then taken over without waiting for its end. */
  exclusive: boolean;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Called after each batch that was applied. */
  onTiming?: ((details: { ms: number; events: number }, message: string) => void) | undefined;
  /** Called with each change of the progress, and at least once a second. */
  onProgress?: ((report: ProgressReport) => void) | undefined;
}

const LEASE_RENEWAL_MS = 1_000;
/** Pause between a follower's reads of the leader's progress while a call waits. */
const FOLLOWER_POLL_MS = 15;
const RETRY_MS = 500;
/**
 * Size of the parts in which few new events are applied. Calls that wait for the first part are answered, and their clients
 * send the next writes, while the next part is applied.
 */
const MAX_PART_EVENTS = 32;
/** With more new events, the runner is behind. It then applies them all in one commit, which costs less. */
const MAX_EVENTS_IN_PARTS = 128;

/**
 * Keeps one generation of read models up to date. As leader it applies events; as follower it watches the leader's
 * checkpoints. After any error it discards its memory and starts again from the stored checkpoints.
 */
export class Runner extends GenerationProgress {
  private readonly lease: LeaseHold;
  private storePosition: StorePosition | null = null;
  private runLoop: Promise<void> = Promise.resolve();
  private isFollowing = false;
  private currentRenewal: Promise<void> = Promise.resolve();
  private nextRenewal: Promise<void> | null = null;

  constructor(private readonly options: RunnerOptions) {
    super(options.events);
    const { reads, models, holder = randomUUID(), exclusive } = options;
    this.lease = new LeaseHold(reads, models.generation, holder, exclusive);
  }

  start(): void {
    this.runLoop = this.run();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.runLoop;
  }

  override waitUntilCaughtUp(moment: number, ms: number): Promise<boolean> {
    if (this.caughtUpAt < moment && this.role === 'LEADER') this.requestRenewal().catch(() => undefined);
    return super.waitUntilCaughtUp(moment, ms);
  }

  /** Returns the whole progress. */
  fullReport(): ProgressReport {
    return this.createReport([...this.checkpoints.values()], null);
  }

  protected override wait(condition: () => boolean, ms: number): Promise<boolean> {
    const waiting = super.wait(condition, ms);
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
        if (error instanceof StoreUnavailable) this.startOutage();
        this.lastError = error instanceof Error ? error.message : String(error);
        this.report();
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
    this.report(this.checkpoints.values());
    const failure = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, failure.signal]);
    const fail = (error: unknown) => {
      if (error instanceof StoreUnavailable) this.startOutage();
      failure.abort(error);
    };
    const renewalTimer = setInterval(() => this.requestRenewal().catch(fail), LEASE_RENEWAL_MS);
    try {
      this.requestRenewal().catch(fail);
      for await (const events of this.options.events.subscribeAll(this.storePosition, signal)) {
        if (signal.aborted) break;
        for (const part of toParts(events)) await this.applyPart(applier, part);
      }
      // An aborted subscription ends without an error. The failed renewal that aborted it must still be reported.
      failure.signal.throwIfAborted();
    } finally {
      clearInterval(renewalTimer);
      this.role = 'FOLLOWER';
    }
  }

  /** Applies some new events, and reports the progress. */
  private async applyPart(applier: Applier, events: readonly StoredEvent[]): Promise<void> {
    this.pendingSince = Date.parse(events[0]!.metadata.recorded_at);
    const started = performance.now();
    await applier.apply(events);
    this.options.onTiming?.({ events: events.length, ms: Math.round(performance.now() - started) }, 'projection batch');
    const applied = toAppliedLeaves(this.storePosition, events);
    this.storePosition = applied.upTo;
    this.pendingSince = null;
    this.waiters.check();
    this.report(this.checkpointsAfter(events), applied);
    // Embedded stores answer at once, so without this all parts would be one turn of the event loop.
    if (events.length >= MAX_PART_EVENTS) await nextTurn();
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
    const moment = this.options.now().getTime();
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
    this.report();
  }

  private compare(a: StorePosition, b: StorePosition): number {
    return this.options.events.compareStorePositions(a, b);
  }

  /** Reads the leader's lease and checkpoints. */
  private async readLeadersProgress(): Promise<void> {
    const lease = await this.lease.read();
    // Read after the lease and set before `caughtUpAt`, so that a call that sees the new `caughtUpAt` also sees its
    // checkpoints.
    const newerCheckpoints = (await this.options.models.checkpoints()).filter(
      ({ organizationId, n }) => n > (this.checkpoints.get(organizationId)?.n ?? 0),
    );
    for (const checkpoint of newerCheckpoints) this.checkpoints.set(checkpoint.organizationId, checkpoint);
    this.caughtUpAt = Math.max(this.caughtUpAt, lease?.caught_up_at ?? 0);
    this.pendingSince = null;
    this.endOutage();
    this.waiters.check();
    this.report(newerCheckpoints);
  }

  private report(checkpoints: Iterable<Checkpoint> = [], applied: AppliedLeaves | null = null): void {
    this.options.onProgress?.(this.createReport([...checkpoints], applied));
  }

  private createReport(checkpoints: readonly Checkpoint[], applied: AppliedLeaves | null): ProgressReport {
    const { role, caughtUpAt, lastError, isStoreDown, pendingSince } = this;
    return { role, caughtUpAt, lastError, isStoreDown, pendingSince, checkpoints, applied };
  }

  private checkpointsAfter(events: readonly StoredEvent[]): Checkpoint[] {
    const organizationIds = new Set(events.map(({ metadata }) => metadata.organization_id));
    return [...organizationIds].flatMap((organizationId) => this.checkpoints.get(organizationId) ?? []);
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

/** Returns new events in the parts in which they are applied. */
function* toParts(events: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  if (events.length > MAX_EVENTS_IN_PARTS) return yield events;
  let start = 0;
  for (let end = MAX_PART_EVENTS; end < events.length; end++) {
    if (end - start < MAX_PART_EVENTS || isSameCall(events[end - 1]!, events[end]!)) continue;
    yield events.slice(start, end);
    start = end;
  }
  yield events.slice(start);
}

/** Returns true if one call wrote both events. Its caller waits for all, so a part with only some helps nobody. */
function isSameCall(a: StoredEvent, b: StoredEvent): boolean {
  return a.metadata.correlation_id === b.metadata.correlation_id;
}
