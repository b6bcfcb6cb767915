import type { EventStore } from '../../stores/event-store.ts';
import type { Checkpoint, ReadStore } from '../../stores/read-store.ts';
import { CHANGES, type ChangeDocument, changeId } from '../history/change-document.ts';
import { COLLECTIONS } from '../models.ts';
import { type Lease, leaseName } from './lease.ts';

/**
 * Returns true if a generation has all events that its runner reported as applied, and none that this log doesn't have.
 * Single files get deleted, restored from a backup, or lose their newest commits in a power cut. Read models that lack
 * events, or have events that the log lost, must be rebuilt.
 */
export async function isComplete(events: EventStore, reads: ReadStore, generation: string): Promise<boolean> {
  // The lease is read first: another instance may be applying events meanwhile, and checkpoints only grow.
  const applied = (await reads.sharedEntry<Lease>(leaseName(generation)))?.value.store_position ?? null;
  const models = await reads.open(generation, COLLECTIONS);
  try {
    const newest = newestOf(events, await models.checkpoints());
    if (newest === null) return false;
    if (applied !== null && events.compareStorePositions(newest.storePosition, applied) < 0) return false;
    const [change] = await models.get(CHANGES.name, [changeId(newest.organizationId, newest.position)]);
    if (change === undefined) return false;
    const { stream, stream_revision, event_id } = change.doc as unknown as ChangeDocument;
    return (await events.readStream(stream, stream_revision)).some(({ id }) => id === event_id);
  } finally {
    await models.close();
  }
}

function newestOf(events: EventStore, checkpoints: readonly Checkpoint[]): Checkpoint | null {
  let newest: Checkpoint | null = null;
  for (const checkpoint of checkpoints) {
    if (newest === null || events.compareStorePositions(checkpoint.storePosition, newest.storePosition) > 0)
      newest = checkpoint;
  }
  return newest;
}
