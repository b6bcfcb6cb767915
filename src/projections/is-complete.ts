import type { EventStore } from '../stores/event-store.ts';
import type { Checkpoint, ReadStore } from '../stores/read-store.ts';
import { CHANGES, type ChangeDocument, changeId } from './change-document.ts';
import { type Lease, leaseName } from './lease.ts';
import { COLLECTIONS } from './models.ts';

/**
 * Whether a generation holds all that its runner has said to be applied, and nothing that this log does not have. Files
 * are deleted, put back from a backup, or lose their newest commits in a power cut one by one; read models that have
 * lost their past, or know a future that did not happen, must be built again.
 */
export async function isComplete(events: EventStore, reads: ReadStore, generation: string): Promise<boolean> {
  // The lease first: another instance may be at work, and what is applied only grows.
  const applied = (await reads.register<Lease>(leaseName(generation)))?.value.store_position ?? null;
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
