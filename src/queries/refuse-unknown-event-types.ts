import { EVENT_TYPES } from '../commands/event-types.ts';
import { nearestNames } from '../commands/nearest.ts';
import { Refusal } from '../commands/refusal.ts';
import { ACCESS_ENTRY_TYPES, currentEntryType } from './access-log-row.ts';

/** Where an assistant finds all event types. */
export const EVENT_TYPES_URI = 'veritrail://event-types';

/** Names offered in place of an unknown one. */
const MAX_SUGGESTIONS = 3;

/**
 * Refuses event types that the list can't contain: a filter by them would find nothing and look like an answer.
 * Types of the access log are refused for changes, and types of events for the access log.
 */
export function refuseUnknownEventTypes(types: readonly string[] | undefined, ofAccess = false): void {
  const known: readonly string[] = ofAccess ? ACCESS_ENTRY_TYPES : EVENT_TYPES;
  const others: readonly string[] = ofAccess ? EVENT_TYPES : ACCESS_ENTRY_TYPES;
  const unknown = types?.map(currentEntryType).find((type) => !known.includes(type));
  if (unknown === undefined) return;
  const field = 'filter.event_types';
  if (others.includes(unknown)) {
    const next = ofAccess
      ? 'is not of the access log: leave ACCESS out of'
      : 'is of the access log: name ACCESS alone in';
    throw new Refusal('invalid_input', `${unknown} ${next} record_types.`, { field });
  }
  const allowed = nearestNames(unknown, known, MAX_SUGGESTIONS);
  const message = `There is no event type ${unknown}: try ${allowed.join(' or ')}, or choose from ${EVENT_TYPES_URI}.`;
  throw new Refusal('invalid_input', message, { field, allowed });
}
