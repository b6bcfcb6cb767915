import { PARKED } from '../../projections/models.ts';
import type { Reader } from '../moments/snapshot.ts';

/** Returns the position of a parked event in its organization's log. Null if it isn't parked, or not yet. */
export async function findParkedPosition(reader: Reader, eventId: string): Promise<number | null> {
  const [parked] = await reader.snapshot().models.get(PARKED.name, [eventId]);
  return parked === undefined ? null : Number(parked.doc.position);
}
