import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, StorePosition } from '../stores/event-store.ts';
import type { ReadStore } from '../stores/read-store.ts';
import { GenerationProgress, type ProgressReport } from './engine/generation-progress.ts';
import { COLLECTIONS } from './models.ts';
import { type BuildProgress, ServedProjections } from './served-projections.ts';

const RETRY_OPEN_MS = 1_000;

/** Sent by the projections that run in another thread of this process. It is plain data. */
export type ProjectionsNotice =
  | { type: 'building'; progress: BuildProgress | null }
  /** A generation is served from now on. The report has all its checkpoints. */
  | { type: 'serving'; generation: string; report: ProgressReport }
  /** The generation has lost events and must not be served any more. */
  | { type: 'withdrawn'; generation: string }
  | { type: 'progress'; generation: string; report: ProgressReport };

/** A wait for progress, as in `GenerationProgress`. It is plain data. */
export type ProgressWait =
  | { organizationId: string; storePosition: StorePosition; ms: number }
  | { moment: number; ms: number };

/** The projections in the other thread. */
export interface RemoteProjections {
  start(installation: string): void;
  /** Says that a call waits, so that the runner there hurries. Its notices tell when the wait is over. */
  expect(wait: ProgressWait): void;
  stop(): Promise<void>;
}

interface FollowedProjectionsOptions {
  events: Pick<EventStore, 'compareStorePositions'>;
  reads: Pick<ReadStore, 'open'>;
  remote: RemoteProjections;
  /** No other instance reads these generations. */
  exclusive: boolean;
  now: () => Date;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Serves the read models that projections in another thread keep up to date, and learns their progress from notices. */
export class FollowedProjections extends ServedProjections {
  /** The generation that is being opened. */
  private next: string | null = null;
  /** The progress of that one, of the served one, and during a switch of both. */
  private readonly followed = new Map<string, FollowedProgress>();
  private opening: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private endStart: () => void = () => undefined;

  constructor(private readonly options: FollowedProjectionsOptions) {
    super();
  }

  start(installation: string): Promise<void> {
    const started = new Promise<void>((resolve) => {
      this.endStart = resolve;
    });
    this.options.remote.start(installation);
    return started;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.endStart();
    await this.current?.progress.stop();
    await this.options.remote.stop();
    await this.opening;
    await this.current?.progress.stop();
    await this.current?.models.close();
  }

  /** Takes a notice of the other thread. */
  receive(notice: ProjectionsNotice): void {
    if (notice.type === 'building') {
      this.buildProgress = notice.progress;
      return;
    }
    if (notice.type === 'withdrawn') {
      if (this.next === notice.generation) this.next = null;
      this.followed.delete(notice.generation);
      if (this.current?.models.generation === notice.generation) this.withdraw();
      return;
    }
    const { generation, report } = notice;
    const progress = this.followed.get(generation);
    if (progress !== undefined) {
      progress.update(report);
      this.publishLeaves(report.applied);
    } else if (notice.type === 'serving') this.follow(generation, report);
  }

  /** Notes that the other thread has ended. Its successor will send what it serves. */
  remoteEnded(): void {
    this.buildProgress = null;
    for (const progress of this.followed.values()) progress.runnerEnded();
  }

  private follow(generation: string, report: ProgressReport): void {
    const { events, remote, now } = this.options;
    const progress = new FollowedProgress(events, now, remote);
    progress.update(report);
    this.next = generation;
    this.followed.set(generation, progress);
    this.opening = this.opening.then(() => this.open(generation, progress));
  }

  /** Opens a generation and serves it. Retries while the store is down, until another one is to be served. */
  private async open(generation: string, progress: FollowedProgress): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && this.next === generation) {
      try {
        const models = await this.options.reads.open(generation, COLLECTIONS);
        // The other thread may have switched once more meanwhile.
        if (this.next !== generation) {
          this.followed.delete(generation);
          return await models.close();
        }
        this.next = null;
        const previous = this.current;
        await this.replace({ models, progress }, this.options.exclusive ? null : { signal, extraMs: 0 });
        this.endStart();
        if (previous !== null) this.followed.delete(previous.models.generation);
        if (previous !== null) this.options.log.info({ generation }, 'read models: switched to a new generation');
        return;
      } catch (error) {
        this.options.log.warn({ err: error }, 'read models: could not be opened, retrying');
        await delay(RETRY_OPEN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

/** The progress of a runner in another thread. */
class FollowedProgress extends GenerationProgress {
  constructor(
    events: Pick<EventStore, 'compareStorePositions'>,
    now: () => Date,
    private readonly remote: Pick<RemoteProjections, 'expect'>,
  ) {
    super(events, now);
  }

  override waitUntilProjected(organizationId: string, storePosition: StorePosition, ms: number): Promise<boolean> {
    // A leader applies new events without being asked.
    if (this.role === 'FOLLOWER') this.remote.expect({ organizationId, storePosition, ms });
    return super.waitUntilProjected(organizationId, storePosition, ms);
  }

  override waitUntilCaughtUp(moment: number, ms: number): Promise<boolean> {
    if (this.caughtUpAt < moment) this.remote.expect({ moment, ms });
    return super.waitUntilCaughtUp(moment, ms);
  }

  update({ role, caughtUpAt, lastError, isStoreDown, pendingSince, checkpoints }: ProgressReport): void {
    this.role = role;
    this.noteCaughtUp(caughtUpAt);
    this.lastError = lastError;
    this.pendingSince = pendingSince;
    for (const checkpoint of checkpoints) this.checkpoints.set(checkpoint.organizationId, checkpoint);
    if (isStoreDown) this.startOutage();
    else this.endOutage();
    this.waiters.check();
  }

  runnerEnded(): void {
    this.role = 'FOLLOWER';
    this.lastError = 'the projections ended unexpectedly and are being restarted';
  }
}
