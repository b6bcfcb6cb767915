import { undoneEvent } from './event-members.ts';
import { event, eventWithReason, nullable, string } from './event-schema.ts';
import type { Fields } from './field.ts';

const OWNER_ASSIGNED = eventWithReason({ owner_id: nullable(string()) });
const ARCHIVED = event({ archived_at: string(), reason: string() });
const RESTORED = event({ reason: string() });

type CommonEvents<Title extends string, F extends Fields> = Record<`${Title}OwnerAssigned`, typeof OWNER_ASSIGNED> &
  Record<`${Title}Archived`, typeof ARCHIVED> &
  Record<`${Title}Restored`, typeof RESTORED> &
  Record<`${Title}Undone`, ReturnType<typeof undoneEvent<F>>>;

/** Returns the events that every family has: VendorOwnerAssigned, VendorArchived, VendorRestored and VendorUndone. */
export function commonEvents<const Title extends string, F extends Fields>(title: Title, fields: F) {
  const types = commonEventTypes(title);
  return {
    [types.ownerAssigned]: OWNER_ASSIGNED,
    [types.archived]: ARCHIVED,
    [types.restored]: RESTORED,
    [types.undone]: undoneEvent(fields),
  } as CommonEvents<Title, F>;
}

/** Returns the types of these events, as a description names them. */
export function commonEventTypes<const Title extends string>(title: Title) {
  return {
    ownerAssigned: `${title}OwnerAssigned`,
    archived: `${title}Archived`,
    restored: `${title}Restored`,
    undone: `${title}Undone`,
  } as const;
}
