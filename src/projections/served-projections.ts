import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock/monotonic.ts';
import { StoreUnavailable } from '../stores/errors.ts';
import type { StorePosition } from '../stores/event-store.ts';
import type { ReadModels } from '../stores/read-store.ts';
import type { GenerationProgress } from './engine/generation-progress.ts';
import type { AppliedLeaves } from './transparency/applied-leaves.ts';

/** A replaced generation stays open this long for the queries that began on it. */
export const REPLACED_OPEN_MS = 50_000;

/**
 * Each instance looks for a switch every second. So this long after one has seen it, the others have too, and their
 * acknowledged writes are in both generations.
 */
const OTHERS_JOIN_MS = 5_000;
/** This long after one instance has switched, no other one reads the generation before. */
const OTHERS_LEAVE_MS = 5_000;

const UNATTRIBUTED_HINT =
  'Nothing tells the organization of some events that cannot be read, so they have no position. Later positions of one ' +
  'organization may have moved.';

/** A generation of read models, and its progress. */
interface Generation {
  models: ReadModels;
  progress: GenerationProgress;
}

/** The progress of a build of read models, for health. */
export interface BuildProgress {
  events: number;
  phase: string;
}

type LeafListener = (applied: AppliedLeaves) => void;

/** Serves one generation of read models at a time. */
export abstract class ServedProjections {
  protected current: Generation | null = null;
  protected buildProgress: BuildProgress | null = null;
  /** During a switch: the progress of the generation that other instances may be reading. */
  private readonly readByOthers = new Set<GenerationProgress>();
  private readonly leafListeners = new Set<LeafListener>();

  /** Ends when a generation is served, or `stop` was called. */
  abstract start(installation: string): Promise<void>;
  abstract stop(): Promise<void>;

  /** Returns the generation that is served now. @throws StoreUnavailable before `start` has ended */
  servedGeneration(): Generation {
    if (this.current === null) throw new StoreUnavailable('the read models are being built');
    return this.current;
  }

  /** The served generation's read models. @throws StoreUnavailable before `start` has ended */
  get models(): ReadModels {
    return this.servedGeneration().models;
  }

  /** The served generation's progress. @throws StoreUnavailable before `start` has ended */
  get progress(): GenerationProgress {
    return this.servedGeneration().progress;
  }

  /**
   * Waits up to `ms` until reads through any instance include an organization's events up to a store position, even if the
   * generation is switched meanwhile.
   */
  async waitUntilProjected(organizationId: string, storePosition: StorePosition, ms: number): Promise<boolean> {
    const { progress } = this;
    const end = monotonicMs() + ms;
    if (!(await progress.waitUntilProjected(organizationId, storePosition, ms))) {
      if (progress === this.progress) return false;
      return this.progress.waitUntilProjected(organizationId, storePosition, ms);
    }
    for (const other of this.readByOthers) {
      const remainingMs = Math.max(end - monotonicMs(), 0);
      if (!(await other.waitUntilProjected(organizationId, storePosition, remainingMs))) return false;
    }
    return true;
  }

  /** True once the read models have caught up with the log for the first time. */
  get ready(): boolean {
    return this.current?.progress.hasCaughtUp ?? false;
  }

  /** True while events can't be applied. Reads still work, and show the state before the failure. */
  get isFailing(): boolean {
    return this.current !== null && this.current.progress.lastError !== null;
  }

  /** True while the log time of an organization is ahead of this instance's clock. */
  get isClockBehindLog(): boolean {
    return this.current?.progress.isClockBehindLog ?? false;
  }

  /** Calls `listener` with the leaves of the events that this instance applies. Returns a function that ends it. */
  subscribeToLeaves(listener: LeafListener): () => void {
    this.leafListeners.add(listener);
    return () => this.leafListeners.delete(listener);
  }

  protected publishLeaves(applied: AppliedLeaves | null): void {
    if (applied !== null) for (const listener of this.leafListeners) listener(applied);
  }

  /** Organizations that have read models. */
  get organizations(): string[] {
    return this.progress.organizations;
  }

  /** For health and metrics. */
  state(): object {
    if (this.current === null) return { state: 'BUILDING', ...this.buildProgress };
    const { progress, models } = this.current;
    const { role, lag, parked, outOfOrder, unattributed, caughtUpAt } = progress;
    return {
      state: this.isFailing ? 'FAILING' : 'SERVING',
      generation: models.generation,
      role,
      lag_ms: lag,
      parked_events: parked,
      out_of_order_events: outOfOrder,
      ...(unattributed > 0 && { unattributed_events: unattributed, hint: UNATTRIBUTED_HINT }),
      caught_up_at: caughtUpAt === 0 ? null : new Date(caughtUpAt).toISOString(),
      ...(this.buildProgress ? { building: this.buildProgress } : {}),
    };
  }

  /** Serves nothing until the next generation. Queries that have begun may fail. */
  protected withdraw(): void {
    const previous = this.current;
    this.current = null;
    void previous?.progress.stop();
    void previous?.models.close();
  }

  /**
   * Serves this generation from now on. The one before it stays open for a while.
   * @param others set if other instances may switch too, at another moment. Until all have, acknowledged writes are in both
   * generations. `signal` ends that, `extraMs` prolongs it
   */
  protected async replace(next: Generation, others: { signal: AbortSignal; extraMs: number } | null): Promise<void> {
    const previous = this.current;
    const wait = (ms: number) => delay(ms, undefined, { signal: others!.signal, ref: false }).catch(() => undefined);
    if (previous !== null && others !== null) {
      this.readByOthers.add(next.progress);
      await wait(OTHERS_JOIN_MS);
      this.readByOthers.delete(next.progress);
      this.readByOthers.add(previous.progress);
    }
    this.current = next;
    if (previous === null) return;
    if (others !== null) await wait(OTHERS_LEAVE_MS + others.extraMs);
    this.readByOthers.delete(previous.progress);
    await previous.progress.stop();
    setTimeout(() => void previous.models.close(), REPLACED_OPEN_MS).unref();
  }
}
