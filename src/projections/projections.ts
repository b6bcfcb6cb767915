import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailable } from '../stores/errors.ts';
import type { ReadStore } from '../stores/read-store.ts';
import { type ActiveGeneration, buildGeneration } from './engine/build-generation.ts';
import type { ProgressReport } from './engine/generation-progress.ts';
import { isComplete } from './engine/is-complete.ts';
import { type Lease, leaseName } from './engine/lease.ts';
import { logLossText } from './engine/log-loss.ts';
import { Runner, type RunnerOptions } from './engine/runner.ts';
import type { ProgressWait, ProjectionsNotice } from './followed-projections.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from './models.ts';
import { type BuildProgress, ServedProjections } from './served-projections.ts';

/** Between checks for a new generation, and between attempts to open one. */
const WATCH_INTERVAL_MS = 1_000;
/**
 * A generation that isn't served is dropped when its lease expired this long ago. A replaced one is dropped 2 * ABANDONED_MS
 * after the switch, when nobody has it open any more.
 */
const ABANDONED_MS = 30_000;
interface ProjectionsOptions extends Omit<RunnerOptions, 'models' | 'installation' | 'onProgress'> {
  /** Called with what FollowedProjections in another thread need. */
  onNotice?: (notice: ProjectionsNotice) => void;
}

/** Keeps one generation of read models up to date, and switches to another when it becomes the active one. */
export class Projections extends ServedProjections {
  private watchTimer: NodeJS.Timeout | null = null;
  private currentTask: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  /** All running runners: that of the served generation, and that of one which catches up to be served. */
  private readonly runners = new Set<Runner>();
  private installation = '';

  constructor(private readonly options: ProjectionsOptions) {
    super();
  }

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

  /** Lets the served generation's runner, if there is one, know that another thread waits for progress. */
  expect(wait: ProgressWait): void {
    const runner = this.current?.progress;
    if ('moment' in wait) void runner?.waitUntilCaughtUp(wait.moment, wait.ms);
    else void runner?.waitUntilProjected(wait.organizationId, wait.storePosition, wait.ms);
  }

  private async build(): Promise<void> {
    const progress = { events: 0, phase: 'EVENTS' };
    this.noteBuild(progress);
    this.options.log.info({ version: PROJECTIONS_VERSION }, 'read models: building from the log');
    const active = await buildGeneration({
      ...this.options,
      installation: this.installation,
      signal: this.stopping.signal,
      onProgress: (events) => {
        progress.events = events;
        this.noteBuild(progress);
      },
      onPhase: (phase) => {
        progress.phase = phase;
        this.noteBuild(progress);
      },
      onLogLoss: (loss) => this.options.log.warn(loss, logLossText(loss)),
    });
    this.noteBuild(null);
    await this.serve(active.generation);
  }

  private noteBuild(progress: BuildProgress | null): void {
    this.buildProgress = progress;
    this.options.onNotice?.({ type: 'building', progress });
  }

  /** Opens a generation, waits until it has caught up, and serves it instead of the one before. */
  private async serve(generation: string): Promise<void> {
    const models = await this.options.reads.open(generation, COLLECTIONS);
    await models.buildIndexes();
    const { onNotice } = this.options;
    const onProgress = (report: ProgressReport) => {
      if (this.current?.progress !== runner) return;
      onNotice?.({ type: 'progress', generation, report });
      this.publishLeaves(report.applied);
    };
    const runner = new Runner({ ...this.options, installation: this.installation, models, onProgress });
    this.runners.add(runner);
    runner.start();
    const previous = this.current?.progress;
    if (previous !== undefined) await runner.waitUntilCaughtUp(this.options.now().getTime(), 60_000);
    const replaced = this.replace({ models, progress: runner });
    onNotice?.({ type: 'serving', generation, report: runner.fullReport() });
    await replaced;
    if (previous === undefined) return;
    this.runners.delete(previous as Runner);
    this.options.log.info({ generation }, 'read models: switched to a new generation');
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
