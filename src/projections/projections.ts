import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailable } from '../stores/errors.ts';
import type { StorePosition } from '../stores/event-store.ts';
import type { ReadModels, ReadStore } from '../stores/read-store.ts';
import { type ActiveGeneration, buildGeneration } from './engine/build-generation.ts';
import { isComplete } from './engine/is-complete.ts';
import { type Lease, leaseName } from './engine/lease.ts';
import { Runner, type RunnerOptions } from './engine/runner.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from './models.ts';

/** Between checks for a new generation, and between attempts to open one. */
const WATCH_INTERVAL_MS = 1_000;
/** A generation that isn't served is dropped when its lease expired this long ago. */
const ABANDONED_MS = 30_000;
/** A replaced generation stays open this long for the queries that began on it. It is dropped 2 * ABANDONED_MS after the switch. */
const REPLACED_OPEN_MS = 50_000;

type ProjectionsOptions = Omit<RunnerOptions, 'models' | 'installation'>;

/** A generation of read models, and the runner that keeps it up to date. */
interface ServedGeneration {
  models: ReadModels;
  runner: Runner;
}

/** Serves one generation of read models, and switches to another when it becomes the active one. */
export class Projections {
  private current: ServedGeneration | null = null;
  private buildProgress: { events: number; phase: string } | null = null;
  private watchTimer: NodeJS.Timeout | null = null;
  private currentTask: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  /** All running runners: that of the served generation, and that of one which catches up to be served. */
  private readonly runners = new Set<Runner>();
  private installation = '';

  constructor(private readonly options: ProjectionsOptions) {}

  /**
   * Serves the active generation, or builds one if none fits this version and log. Retries while a store is down, until
   * it is stopped.
   */
  async start(installation: string): Promise<void> {
    this.installation = installation;
    this.currentTask = this.openWithRetries();
    await this.currentTask;
    if (this.stopping.signal.aborted) return;
    this.watchTimer = setInterval(() => this.watch(), WATCH_INTERVAL_MS);
    this.watchTimer.unref();
  }

  private async openWithRetries(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        return await this.openOrBuild();
      } catch (error) {
        if (signal.aborted) return;
        this.options.log.warn({ err: error }, 'read models: could not be opened, retrying');
        // Rejects if aborted, which ends the loop.
        await delay(WATCH_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async openOrBuild(): Promise<void> {
    const active = (await this.options.reads.sharedEntry<ActiveGeneration>('active'))?.value;
    const { events, reads } = this.options;
    const usable =
      active !== undefined && this.matchesVersionAndLog(active) && (await isComplete(events, reads, active.generation));
    if (usable) await this.serve(active.generation);
    else await this.build();
    await this.dropAbandoned();
  }

  /** Returns true if this version built the generation, from this log. */
  private matchesVersionAndLog(active: ActiveGeneration): boolean {
    return active.version === PROJECTIONS_VERSION && active.installation === this.installation;
  }

  async stop(): Promise<void> {
    this.stopping.abort(new StoreUnavailable('the service is stopping'));
    if (this.watchTimer) clearInterval(this.watchTimer);
    // Twice: a switch in progress waits for its runner, and it may start another one meanwhile.
    await this.stopRunners();
    await this.currentTask;
    await this.stopRunners();
    await this.current?.models.close();
  }

  private async stopRunners(): Promise<void> {
    await Promise.all([...this.runners].map((runner) => runner.stop()));
    this.runners.clear();
  }

  /** Returns the generation that is served now. @throws StoreUnavailable before `start` has ended */
  servedGeneration(): ServedGeneration {
    if (this.current === null) throw new StoreUnavailable('the read models are being built');
    return this.current;
  }

  /** The served generation's read models. @throws StoreUnavailable before `start` has ended */
  get models(): ReadModels {
    return this.servedGeneration().models;
  }

  /** The served generation's runner. @throws StoreUnavailable before `start` has ended */
  get runner(): Runner {
    return this.servedGeneration().runner;
  }

  /**
   * Waits up to `ms` until reads include an organization's events up to a store position, even if the generation is
   * switched meanwhile.
   */
  async waitUntilProjected(organizationId: string, storePosition: StorePosition, ms: number): Promise<boolean> {
    const { runner } = this;
    if (await runner.waitUntilProjected(organizationId, storePosition, ms)) return true;
    return runner !== this.runner && this.runner.waitUntilProjected(organizationId, storePosition, ms);
  }

  /** True once the read models have caught up with the log for the first time. */
  get ready(): boolean {
    return this.current !== null && this.current.runner.caughtUpAt > 0;
  }

  /** Organizations that have read models. */
  get organizations(): string[] {
    return this.runner.organizations;
  }

  /** For health and metrics. */
  state(): object {
    if (this.current === null) return { state: 'BUILDING', ...this.buildProgress };
    const { runner, models } = this.current;
    const { role, lag, parked, caughtUpAt, lastError } = runner;
    return {
      state: lastError === null ? 'SERVING' : 'FAILING',
      generation: models.generation,
      role,
      lag_ms: lag,
      parked_events: parked,
      caught_up_at: caughtUpAt === 0 ? null : new Date(caughtUpAt).toISOString(),
      ...(this.buildProgress ? { building: this.buildProgress } : {}),
    };
  }

  private async build(): Promise<void> {
    this.buildProgress = { events: 0, phase: 'EVENTS' };
    const progress = this.buildProgress;
    this.options.log.info({ version: PROJECTIONS_VERSION }, 'read models: building from the log');
    const active = await buildGeneration({
      ...this.options,
      installation: this.installation,
      signal: this.stopping.signal,
      onProgress: (events) => {
        progress.events = events;
      },
      onPhase: (phase) => {
        progress.phase = phase;
      },
    });
    this.buildProgress = null;
    await this.serve(active.generation);
  }

  /** Opens a generation, waits until it has caught up, and serves it instead of the one before. */
  private async serve(generation: string): Promise<void> {
    const models = await this.options.reads.open(generation, COLLECTIONS);
    await models.buildIndexes();
    const runner = new Runner({ ...this.options, installation: this.installation, models });
    this.runners.add(runner);
    runner.start();
    const previous = this.current;
    if (previous !== null) await runner.waitUntilCaughtUp(Date.now(), 60_000);
    this.current = { models, runner };
    if (previous === null) return;
    this.options.log.info({ generation }, 'read models: switched to a new generation');
    await previous.runner.stop();
    this.runners.delete(previous.runner);
    setTimeout(() => void previous.models.close(), REPLACED_OPEN_MS).unref();
  }

  /** Follows a switch that another process (`veritrail rebuild`) made. */
  private watch(): void {
    this.currentTask = this.currentTask.then(async () => {
      if (this.stopping.signal.aborted) return;
      try {
        const active = await this.options.reads.sharedEntry<ActiveGeneration>('active');
        if (active === null || !this.matchesVersionAndLog(active.value)) return;
        if (active.value.generation === this.current?.models.generation) return;
        await this.serve(active.value.generation);
        setTimeout(() => void this.dropAbandoned().catch(() => undefined), 2 * ABANDONED_MS).unref();
      } catch (error) {
        this.options.log.warn({ err: error }, 'read models: could not check for a new generation');
      }
    });
  }

  private async dropAbandoned(): Promise<void> {
    await dropAbandoned(this.options.reads, this.current?.models.generation ?? '');
  }
}

async function dropAbandoned(reads: ReadStore, currentGeneration: string): Promise<void> {
  const active = (await reads.sharedEntry<ActiveGeneration>('active'))?.value.generation;
  for (const generation of await reads.generations()) {
    if (generation === currentGeneration || generation === active) continue;
    const lease = await reads.sharedEntry<Lease>(leaseName(generation));
    const leaseExpiresAt = lease?.value.expires_at ?? 0;
    if (leaseExpiresAt + ABANDONED_MS < Date.now()) await reads.drop(generation);
  }
}
