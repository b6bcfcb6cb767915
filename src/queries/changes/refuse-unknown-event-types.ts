import { nearestNames } from '../../commands/engine/nearest.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { EVENT_TYPES } from '../../commands/event-types.ts';
import { ACCESS_ENTRY_TYPES, currentEntryType } from '../access/access-log-row.ts';

/** The resource that lists all event types. */
export const EVENT_TYPES_URI = 'veritrail://event-types';

/** Names that are suggested for an unknown one. */
const MAX_SUGGESTIONS = 3;

/**
 * Refuses event types that the list can't contain: a filter by them would find nothing and look like an answer.
 * Types of the access log are refused for changes, and types of events for the access log.
 */
export function refuseUnknownEventTypes(types: readonly string[] | undefined, isAccessLog = false): void {
  const listTypes: readonly string[] = isAccessLog ? ACCESS_ENTRY_TYPES : EVENT_TYPES;
  const otherTypes: readonly string[] = isAccessLog ? EVENT_TYPES : ACCESS_ENTRY_TYPES;
  const unknownType = types?.map(currentEntryType).find((type) => !listTypes.includes(type));
  if (unknownType === undefined) return;
  const field = 'filter.event_types';
  if (otherTypes.includes(unknownType)) {
    const message = isAccessLog
      ? `${unknownType} is not an access-log type. Leave ACCESS out of record_types.`
      : `${unknownType} is an access-log type. Give record_types ACCESS alone.`;
    throw new Refusal('invalid_input', message, { field });
  }
  const allowed = nearestNames(unknownType, listTypes, MAX_SUGGESTIONS);
  const message = `"${unknownType}" is not an event type. Try ${allowed.join(' or ')}, or see ${EVENT_TYPES_URI}.`;
  throw new Refusal('invalid_input', message, { field, allowed });
}
