import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock/monotonic.ts';
import { StoreUnavailable } from '../stores/errors.ts';
import { type ActiveGeneration, activeGeneration } from './engine/active-generation.ts';
import { buildGeneration } from './engine/build-generation.ts';
import type { ProgressReport } from './engine/generation-progress.ts';
import { isComplete } from './engine/is-complete.ts';
import { logLossText } from './engine/log-loss.ts';
import { IncompleteGeneration, readProgress } from './engine/place.ts';
import { Runner, type RunnerOptions } from './engine/runner.ts';
import { UnusedGenerations } from './engine/unused-generations.ts';
import type { ProgressWait, ProjectionsNotice } from './followed-projections.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from './models.ts';
import { type BuildProgress, ServedProjections } from './served-projections.ts';

/** Between checks for a new generation, and between attempts to open one. */
const WATCH_INTERVAL_MS = 1_000;
/** The other thread ends a switch at most this long after this one. */
const OTHER_THREAD_MS = 3_000;
/** An active generation that can't be opened for this long is replaced. */
const MAX_LOCKED_MS = 5_000;
/** Between looks for generations that nobody uses. */
const CLEAN_INTERVAL_MS = 5_000;

interface ProjectionsOptions
  extends Omit<RunnerOptions, 'models' | 'place' | 'installation' | 'onProgress' | 'onIncomplete'> {
  /** Called with what FollowedProjections in another thread need. */
  onNotice?: (notice: ProjectionsNotice) => void;
}

/** Keeps one generation of read models up to date, and switches to another when it becomes the active one. */
export class Projections extends ServedProjections {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly unused: UnusedGenerations;
  private currentTask: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  /** All running runners: that of the served generation, and that of one which catches up to be served. */
  private readonly runners = new Set<Runner>();
  private installation = '';
  /** When the active generation could not be opened first, in monotonic milliseconds. */
  private lockedSince: number | null = null;

  constructor(private readonly options: ProjectionsOptions) {
    super();
    this.unused = new UnusedGenerations(options.reads);
  }

  /**
   * Serves the active generation, or builds one if none fits this version and log. Retries while a store is down, until
   * it is stopped.
   */
  async start(installation: string): Promise<void> {
    this.installation = installation;
    this.every(CLEAN_INTERVAL_MS, () => void this.dropUnused());
    this.currentTask = this.openWithRetries();
    await this.currentTask;
    if (!this.stopping.signal.aborted) this.every(WATCH_INTERVAL_MS, () => this.watch());
  }

  private every(ms: number, work: () => void): void {
    this.timers.push(setInterval(work, ms).unref());
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
    const active = await activeGeneration(this.options.reads);
    const usable = active !== null && this.matchesVersionAndLog(active) && (await this.isUsable(active.generation));
    if (usable) await this.serve(active.generation);
    else await this.build();
  }

  /** Returns true if a generation can be served. @throws StoreUnavailable while that isn't known */
  private async isUsable(generation: string): Promise<boolean> {
    const { events, reads, exclusive } = this.options;
    try {
      await (await reads.open(generation, COLLECTIONS)).close();
    } catch (error) {
      // A rebuild that hangs while it ends keeps its file locked. The sole server builds another one then.
      this.lockedSince ??= monotonicMs();
      if (exclusive && monotonicMs() - this.lockedSince >= MAX_LOCKED_MS) return false;
      throw error;
    }
    return isComplete(events, reads, generation);
  }

  private matchesVersionAndLog(active: ActiveGeneration): boolean {
    return active.version === PROJECTIONS_VERSION && active.installation === this.installation;
  }

  async stop(): Promise<void> {
    this.stopping.abort(new StoreUnavailable('the service is stopping'));
    for (const timer of this.timers) clearInterval(timer);
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

  /** Lets the runners know that another thread waits for progress. */
  expect(wait: ProgressWait): void {
    for (const runner of this.runners) {
      if ('moment' in wait) void runner.waitUntilCaughtUp(wait.moment, wait.ms);
      else void runner.waitUntilProjected(wait.organizationId, wait.storePosition, wait.ms);
    }
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
    const { events, onNotice } = this.options;
    const { place } = await readProgress(events, models);
    // Only read models of an empty log have no place.
    if (place === null && (await events.head(null)).newest !== null) {
      await models.close();
      throw new IncompleteGeneration(generation);
    }
    await models.buildIndexes();
    let isAnnounced = false;
    const onProgress = (report: ProgressReport) => {
      if (!isAnnounced) return;
      onNotice?.({ type: 'progress', generation, report });
      this.publishLeaves(report.applied);
    };
    const onIncomplete = () => this.reopen(generation);
    const { installation } = this;
    const runner = new Runner({ ...this.options, installation, models, place, onProgress, onIncomplete });
    this.runners.add(runner);
    runner.start();
    const previous = this.current?.progress;
    if (previous !== undefined) await runner.waitUntilCaughtUp(this.options.now().getTime(), 60_000);
    // The other thread begins its switch with the notice, and still needs the runner of the generation before.
    const others = this.options.exclusive ? null : { signal: this.stopping.signal, extraMs: OTHER_THREAD_MS };
    const replaced = this.replace({ models, progress: runner }, others);
    isAnnounced = true;
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
        const active = await activeGeneration(this.options.reads);
        if (active === null || !this.matchesVersionAndLog(active)) return;
        if (active.generation !== this.current?.models.generation) await this.serve(active.generation);
      } catch (error) {
        this.options.log.warn({ err: error }, 'read models: could not check for a new generation');
      }
    });
  }

  /** Stops serving a generation that has lost events, and serves another. */
  private reopen(generation: string): void {
    this.currentTask = this.currentTask.then(async () => {
      if (this.stopping.signal.aborted || this.current?.models.generation !== generation) return;
      this.options.log.warn({ generation }, 'read models: they have lost events and are not served any more');
      this.withdraw();
      this.options.onNotice?.({ type: 'withdrawn', generation });
      await this.openWithRetries();
    });
  }

  private async dropUnused(): Promise<void> {
    // An outage is logged by those who need the store.
    await this.unused.look(this.current?.models.generation ?? null).catch(() => undefined);
  }
}
