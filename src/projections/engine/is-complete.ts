import type { EventStore } from '../../stores/event-store.ts';
import type { Checkpoint, ReadStore } from '../../stores/read-store.ts';
import { CHANGES, type ChangeDocument, changeId } from '../history/change-document.ts';
import { COLLECTIONS } from '../models.ts';
import { readProgress } from './place.ts';

/**
 * Returns true if a generation has all events up to its place, and the log still has the newest of them. Single files get
 * deleted, restored from a backup, or lose their newest commits in a power cut. Read models that lack events, or have
 * events that the log lost, must be rebuilt.
 */
export async function isComplete(events: EventStore, reads: ReadStore, generation: string): Promise<boolean> {
  const models = await reads.open(generation, COLLECTIONS);
  try {
    const { place, checkpoints } = await readProgress(events, models);
    if (place === null) return false;
    const isNewer = (a: Checkpoint, b: Checkpoint) =>
      events.compareStorePositions(a.storePosition, b.storePosition) > 0;
    const newest = checkpoints.reduce((one, other) => (isNewer(other, one) ? other : one));
    const [change] = await models.get(CHANGES.name, [changeId(newest.organizationId, newest.position)]);
    if (change === undefined) return false;
    const { stream, stream_revision, event_id } = change.doc as unknown as ChangeDocument;
    return (await events.readStream(stream, stream_revision, 1)).some(({ id }) => id === event_id);
  } finally {
    await models.close();
  }
}
