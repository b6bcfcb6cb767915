import { CaughtUpMoment } from '../../projections/engine/generation-progress.ts';
import { COLLECTIONS } from '../../projections/models.ts';
import { REPLACED_OPEN_MS } from '../../projections/served-projections.ts';
import type { ReadProgress, ServedGeneration } from '../../queries/moments/snapshot.ts';
import { StoreUnavailable } from '../../stores/errors.ts';
import type { Checkpoint, ReadModels, ReadStore } from '../../stores/read-store.ts';
import type { ProgressState } from './read-messages.ts';

/**
 * Waits up to `ms` in the main thread until a generation contains the events written before a moment. Returns the
 * generation's progress then; null if it is not served any more.
 */
export type WaitInMain = (generation: string, moment: number, ms: number) => Promise<ProgressState | null>;

/** A generation, and its progress as this thread knows it. */
interface Opened {
  models: ReadModels;
  progress: ProgressInMain;
}

/** The generation of read models that the main thread serves, opened for reads of this thread. */
export class GenerationFollower {
  private current: { generation: string; opened: Promise<Opened> } | null = null;
  private served: Opened | null = null;

  constructor(
    private readonly reads: ReadStore,
    private readonly waitInMain: WaitInMain,
    private readonly now: () => Date,
  ) {}

  /** Follows the main thread to a generation, and to at least this progress. */
  async follow(generation: string, state: ProgressState): Promise<void> {
    if (this.current?.generation !== generation) {
      const previous = this.current;
      this.current = { generation, opened: this.open(generation) };
      const close = ({ models }: Opened) => void setTimeout(() => void models.close(), REPLACED_OPEN_MS).unref();
      previous?.opened.then(close, () => undefined);
    }
    const { current } = this;
    try {
      const opened = await current.opened;
      opened.progress.include(state);
      if (this.current === current) this.served = opened;
    } catch (error) {
      if (this.current === current) this.current = null;
      throw error;
    }
  }

  /** The generation that the newest request named. */
  readonly servedGeneration: ServedGeneration = () => {
    if (this.served === null) throw new StoreUnavailable('no generation was named');
    return this.served;
  };

  private async open(generation: string): Promise<Opened> {
    const models = await this.reads.open(generation, COLLECTIONS);
    const wait = (moment: number, ms: number) => this.waitInMain(generation, moment, ms);
    return { models, progress: new ProgressInMain(wait, this.now) };
  }
}

/** The progress of a generation as far as the main thread has told it. */
class ProgressInMain implements ReadProgress {
  readonly role = 'FOLLOWER';
  private readonly caughtUp: CaughtUpMoment;
  private readonly checkpoints = new Map<string, Checkpoint>();

  constructor(
    private readonly waitInMain: (moment: number, ms: number) => Promise<ProgressState | null>,
    now: () => Date,
  ) {
    this.caughtUp = new CaughtUpMoment(now);
  }

  get caughtUpAt(): number {
    return this.caughtUp.value;
  }

  checkpoint(organizationId: string): Checkpoint | null {
    return this.checkpoints.get(organizationId) ?? null;
  }

  async waitUntilCaughtUp(moment: number, ms: number): Promise<boolean> {
    if (this.caughtUpAt >= moment) return true;
    const state = await this.waitInMain(moment, ms);
    if (state !== null) this.include(state);
    return this.caughtUpAt >= moment;
  }

  /** Checkpoints are set first, so that a read that sees the new `caughtUpAt` also sees them. */
  include({ caughtUpAt, checkpoints }: ProgressState): void {
    for (const checkpoint of checkpoints) {
      if (checkpoint.n > (this.checkpoints.get(checkpoint.organizationId)?.n ?? 0)) {
        this.checkpoints.set(checkpoint.organizationId, checkpoint);
      }
    }
    this.caughtUp.include(caughtUpAt);
  }
}
