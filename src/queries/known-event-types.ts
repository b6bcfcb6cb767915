import { EVENT_TYPES } from '../commands/event-types.ts';
import { nearestNames } from '../commands/nearest.ts';
import { Refusal } from '../commands/refusal.ts';

/** Where an assistant finds all event types. */
export const EVENT_TYPES_URI = 'veritrail://event-types';

/** Names offered in place of an unknown one. */
const MAX_NAMES = 3;

/**
 * Refuses an event type that does not exist, for a filter by it would find nothing and look like an answer.
 * @param known the types that the list can have
 */
export function refuseUnknownEventTypes(
  types: readonly string[] | undefined,
  known: readonly string[] = EVENT_TYPES,
): void {
  const unknown = types?.find((type) => !known.includes(type));
  if (unknown === undefined) return;
  const allowed = nearestNames(unknown, known, MAX_NAMES);
  const message = `There is no event type ${unknown}: try ${allowed.join(' or ')}, or choose from ${EVENT_TYPES_URI}.`;
  throw new Refusal('invalid_input', message, { field: 'filter.event_types', allowed });
}
