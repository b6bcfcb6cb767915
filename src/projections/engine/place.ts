import type { EventStore } from '../../stores/event-store.ts';
import type { Checkpoint, Place, ReadModels } from '../../stores/read-store.ts';

/** A generation lacks events that its own checkpoints count: it was dropped, or its store lost them. It must not be served. */
export class IncompleteGeneration extends Error {
  override readonly name = 'IncompleteGeneration';
  constructor(generation: string) {
    super(`the read models of generation ${generation} are not complete`);
  }
}

type PositionOrder = Pick<EventStore, 'compareStorePositions'>;

interface StoredProgress {
  checkpoints: readonly Checkpoint[];
  /** Null for a generation that isn't complete: one that is being built, or that lost events. */
  place: Place | null;
}

/**
 * Reads a generation's checkpoints, and its place if they have all the events that it counts. Nothing else says that a
 * generation is complete: not its lease, and not the entry that names it.
 */
export async function readProgress(
  order: PositionOrder,
  models: Pick<ReadModels, 'checkpoints'>,
): Promise<StoredProgress> {
  // Two reads, because a runner may commit during the first. The second has at least the events of its place.
  const place = newestPlace(order, await models.checkpoints());
  const checkpoints = await models.checkpoints();
  return { checkpoints, place: place !== null && countEvents(checkpoints) >= place.events ? place : null };
}

/** Returns the newest of the places that the checkpoints have. Each holds for all organizations. */
export function newestPlace(order: PositionOrder, checkpoints: Iterable<Checkpoint>): Place | null {
  let newest: Place | null = null;
  for (const { place } of checkpoints) {
    if (place === null) continue;
    if (newest === null || order.compareStorePositions(place.storePosition, newest.storePosition) > 0) newest = place;
  }
  return newest;
}

/** Counts the applied events of all organizations. */
export function countEvents(checkpoints: Iterable<Checkpoint>): number {
  let count = 0;
  for (const { position } of checkpoints) count += position;
  return count;
}
