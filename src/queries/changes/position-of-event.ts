import { CHANGES, type ChangeDocument } from '../../projections/history/change-document.ts';
import { recordIdOf } from '../../projections/models.ts';
import type { TrailEvent } from '../../trail/event.ts';
import type { QueryContext } from '../moments/moment.ts';

/** Events of one type and record that are looked at. */
const MAX_EVENTS = 500;

/** Returns an event's position, as the wire has it; null if the read models don't have the event yet. */
export async function positionOfEvent(
  { snapshot, organizationId }: QueryContext,
  { id, stream, type }: TrailEvent,
): Promise<string | null> {
  const rows = await snapshot.models.find({
    collection: CHANGES.name,
    organizationId,
    where: [
      { key: 'record_id', op: 'eq', value: recordIdOf(stream) },
      { key: 'event_type', op: 'eq', value: type },
    ],
    order: { key: 'position', direction: 'DESC' },
    limit: MAX_EVENTS,
  });
  const changes = rows.map(({ doc }) => doc as unknown as ChangeDocument);
  return changes.find(({ event_id }) => event_id === id)?.position.toString() ?? null;
}
