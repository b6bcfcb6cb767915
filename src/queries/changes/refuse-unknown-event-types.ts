import { nearestNames } from '../../commands/engine/nearest.ts';
import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { EVENT_TYPES } from '../../register/events.ts';
import type { AccessLogSource } from './access-log-source.ts';

/** The resource that lists all event types. */
export const EVENT_TYPES_URI = 'veritrail://event-types';

/** The most names that a refusal suggests. */
export const MAX_SUGGESTIONS = 3;
const FIELD = 'filter.event_types';

/**
 * Refuses unknown event types. A filter by an unknown type would return an empty list, which looks like a valid
 * answer.
 */
export function refuseUnknownEventTypes(
  types: readonly string[] | undefined,
  accessLog: Pick<AccessLogSource, 'hasType'>,
): void {
  const eventTypes: readonly string[] = EVENT_TYPES;
  const unknownType = types?.find((type) => !eventTypes.includes(type));
  if (unknownType === undefined) return;
  if (!accessLog.hasType(unknownType)) throw unknownEventType(unknownType, eventTypes);
  throw invalidField(FIELD, `${unknownType} is an access-log type. Set record_types to ["ACCESS"].`);
}

/** Returns the refusal of an unknown type, with the names nearest to it. */
export function unknownEventType(type: string, allowedTypes: readonly string[]): Refusal {
  const allowed = nearestNames(type, allowedTypes, MAX_SUGGESTIONS);
  const message = `"${type}" is not an event type. Try ${allowed.join(' or ')}, or see ${EVENT_TYPES_URI}.`;
  return new Refusal('invalid_input', message, { field: FIELD, allowed });
}
