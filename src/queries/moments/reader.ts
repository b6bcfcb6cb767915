import type { ReadModels } from '../../stores/read-store.ts';
import { type ReadProgress, Snapshot, type SnapshotOptions } from './snapshot.ts';

/** Returns the generation that is served now. @throws StoreUnavailable while no generation is served */
export type ServedGeneration = () => { models: ReadModels; progress: ReadProgress };

/** Gives each query the read models of the generation that is served when it begins. */
export class Reader {
  private newest: Snapshot | null = null;

  constructor(
    private readonly served: ServedGeneration,
    private readonly options: SnapshotOptions,
  ) {}

  /**
   * Returns the served generation's read models. A query calls this once and keeps the result.
   * @throws StoreUnavailable while no generation is served
   */
  snapshot(): Snapshot {
    const { models, progress } = this.served();
    if (this.newest?.models !== models) this.newest = new Snapshot(models, progress, this.options);
    return this.newest;
  }
}
