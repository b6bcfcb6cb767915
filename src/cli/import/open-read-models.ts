import { activeGeneration } from '../../projections/engine/active-generation.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../../projections/models.ts';
import type { ReadModels, ReadStore } from '../../stores/read-store.ts';

/** Opens the read models that the service keeps, or returns null if there are none of this version. They may be behind. */
export async function openReadModels(reads: ReadStore): Promise<ReadModels | null> {
  const active = await activeGeneration(reads);
  return active?.version === PROJECTIONS_VERSION ? await reads.open(active.generation, COLLECTIONS) : null;
}
