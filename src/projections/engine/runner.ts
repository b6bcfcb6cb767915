import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../clock/monotonic.ts';
import { Fenced, StoreReplaced, StoreUnavailable } from '../../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition } from '../../stores/event-store.ts';
import type { Checkpoint, Place, ReadModels, ReadStore } from '../../stores/read-store.ts';
import { type AppliedLeaves, toAppliedLeaves } from '../transparency/applied-leaves.ts';
import { Applier } from './applier.ts';
import { GenerationProgress, type ProgressReport } from './generation-progress.ts';
import { LEASE_RENEWAL_MS, LeaseHold } from './lease.ts';
import { countEvents, IncompleteGeneration, newestPlace } from './place.ts';

export interface RunnerOptions {
  events: EventStore;
  reads: ReadStore;
  models: ReadModels;
  /** The generation's place when it was opened; by default it is new. */
  place?: Place | null;
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
  /** Called if the generation has lost events. The runner then stops. */
  onIncomplete?: (() => void) | undefined;
}

const LOG_REPLACED =
  'the log ends before the last event that was read from it: it was replaced by an older copy, or emptied';
/** Pause between a follower's reads of the leader's progress while a call waits. */
const FOLLOWER_POLL_MS = 15;
const RETRY_MS = 500;
/** The same failure is logged once in this time. */
const LOG_PAUSE_MS = 60_000;
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
  /** The fewest events that the generation's checkpoints can have. */
  private leastEvents: number;
  private applier: Applier | null = null;
  /** The last event that this leader has read, or where it began. */
  private readUpTo: StorePosition | null = null;
  private runLoop: Promise<void> = Promise.resolve();
  private isFollowing = false;
  private loggedFailure = { message: '', at: 0 };
  private isRenewing = false;
  private currentStamp: Promise<void> | null = null;
  private nextStamp: Promise<void> | null = null;

  constructor(private readonly options: RunnerOptions) {
    super(options.events, options.now);
    const { reads, models, holder = randomUUID(), exclusive } = options;
    this.lease = new LeaseHold({ reads, generation: models.generation, holder, exclusive });
    this.leastEvents = options.place?.events ?? 0;
  }

  start(): void {
    this.runLoop = this.run();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.runLoop;
  }

  override waitUntilCaughtUp(moment: number, ms: number): Promise<boolean> {
    if (this.caughtUpAt < moment && this.role === 'LEADER') this.requestStamp().catch(() => undefined);
    return super.waitUntilCaughtUp(moment, ms);
  }

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
        if (error instanceof IncompleteGeneration) {
          this.options.onIncomplete?.();
          break;
        }
        if (!(error instanceof Fenced)) this.logFailure(error, this.lastError);
      }
      await this.pause(RETRY_MS);
    }
    await this.lease.release().catch(() => undefined);
  }

  /** Logs a failure, and the same one again after a minute, because the runner tries again twice a second. */
  private logFailure(error: unknown, message: string): void {
    const now = monotonicMs();
    if (message === this.loggedFailure.message && now - this.loggedFailure.at < LOG_PAUSE_MS) return;
    this.loggedFailure = { message, at: now };
    this.options.log.warn({ err: error }, 'projections: failed, restarting');
  }

  private async lead(): Promise<void> {
    const { events, models, installation } = this.options;
    const applier = new Applier(events, models, installation);
    await applier.prepare();
    if (applier.place === null && this.leastEvents > 0) throw new IncompleteGeneration(models.generation);
    this.applier = applier;
    this.readUpTo = applier.place?.storePosition ?? null;
    this.checkpoints = applier.checkpoints;
    this.role = 'LEADER';
    this.endOutage();
    this.report(this.checkpoints.values());
    const failure = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, failure.signal]);
    const fail = (error: unknown) => {
      if (error instanceof StoreUnavailable) this.startOutage();
      failure.abort(error);
    };
    const beat = () => this.beat().catch(fail);
    const beatTimer = setInterval(beat, LEASE_RENEWAL_MS);
    try {
      void beat();
      for await (const batch of events.subscribeAll(this.readUpTo, signal)) {
        if (signal.aborted) break;
        for (const part of toParts(batch)) await this.applyPart(applier, part);
      }
      // An aborted subscription ends without an error. The failed renewal that aborted it must still be reported.
      failure.signal.throwIfAborted();
    } finally {
      clearInterval(beatTimer);
      this.leastEvents = applier.placeStored.place?.events ?? 0;
      this.applier = null;
      this.role = 'FOLLOWER';
    }
  }

  /** Applies some new events, and reports the progress. */
  private async applyPart(applier: Applier, events: readonly StoredEvent[]): Promise<void> {
    // A row that can't be read may show no time.
    this.pendingSince = Date.parse(events[0]!.metadata.recorded_at) || null;
    const started = performance.now();
    await applier.apply(events);
    this.options.onTiming?.({ events: events.length, ms: Math.round(performance.now() - started) }, 'projection batch');
    const applied = toAppliedLeaves(this.readUpTo, events);
    this.readUpTo = applied.upTo;
    this.pendingSince = null;
    this.waiters.check();
    this.report(this.checkpointsAfter(events), applied);
    // Embedded stores answer at once, so without this all parts would be one turn of the event loop.
    if (events.length >= MAX_PART_EVENTS) await nextTurn();
  }

  /** Stamps the lease, one stamp at a time. Calls during a stamp share the next one. */
  private requestStamp(): Promise<void> {
    this.nextStamp ??= Promise.resolve(this.currentStamp).then(() => {
      this.nextStamp = null;
      const stamp = this.stampLease();
      const settled = stamp.then(
        () => undefined,
        () => undefined,
      );
      this.currentStamp = settled;
      void settled.then(() => {
        if (this.currentStamp === settled) this.currentStamp = null;
      });
      return stamp;
    });
    return this.nextStamp;
  }

  /**
   * Notes the present as the moment up to which all events are applied, if they are, and renews the lease with it.
   * @throws Fenced when another instance has the lease
   */
  private async stampLease(): Promise<void> {
    const { applier } = this;
    if (applier === null) return;
    const moment = this.now().getTime();
    const before = applier.place?.storePosition ?? null;
    const { newest, end } = await this.options.events.head(before);
    if (before !== null && this.order.compareStorePositions(end, before) < 0) throw new StoreReplaced(LOG_REPLACED);
    const isApplied = () => newest === null || applier.includes(newest);
    const isCaughtUp = await this.wait(isApplied, LEASE_RENEWAL_MS);
    if (isCaughtUp) {
      applier.moveTo(end);
      await applier.storePlace();
      this.noteCaughtUp(moment);
    }
    await this.renewLease();
    if (isCaughtUp) this.lastError = null;
    this.waiters.check();
    this.report();
  }

  /** Stamps the lease. Only renews it while a stamp takes long, so that nobody takes it meanwhile. */
  private async beat(): Promise<void> {
    if (this.currentStamp === null) await this.requestStamp();
    else if (!this.isRenewing) await this.renewLease();
  }

  /** @throws Fenced when another instance has the lease */
  private async renewLease(): Promise<void> {
    // Renewing a released lease would make other instances wait.
    if (this.stopping.signal.aborted) return;
    this.isRenewing = true;
    try {
      if ((await this.lease.renew(this.caughtUpAt)) || (await this.lease.take())) return;
    } finally {
      this.isRenewing = false;
    }
    throw new Fenced('another instance runs the projections now');
  }

  /** Reads the leader's lease and checkpoints. */
  private async readLeadersProgress(): Promise<void> {
    const lease = await this.lease.read();
    // Read after the lease and noted before its moment, so that a call that sees the moment also sees its checkpoints.
    const checkpoints = await this.options.models.checkpoints();
    if (countEvents(checkpoints) < this.leastEvents) throw new IncompleteGeneration(this.options.models.generation);
    this.leastEvents = newestPlace(this.order, checkpoints)?.events ?? this.leastEvents;
    const newerCheckpoints = checkpoints.filter(
      ({ organizationId, n }) => n > (this.checkpoints.get(organizationId)?.n ?? 0),
    );
    for (const checkpoint of newerCheckpoints) this.checkpoints.set(checkpoint.organizationId, checkpoint);
    this.noteCaughtUp(lease?.caught_up_at ?? 0);
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

/**
 * Returns true if one call wrote both events. Its caller waits for all, so a part with only some helps nobody. An import
 * from a file is one call of any length, but no part has more than `MAX_EVENTS_IN_PARTS` events.
 */
function isSameCall(a: StoredEvent, b: StoredEvent): boolean {
  return a.metadata.correlation_id === b.metadata.correlation_id;
}
