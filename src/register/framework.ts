import { type DataOf, type EventOf, event, list, object, optional, string } from './event-schema.ts';

const ADOPTED_CONTROL = {
  id: string(),
  section_title: string(),
  name: string(),
  description: optional(string()),
};

/** A control in an adoption. Its id contains its index in the list. */
export type AdoptedControl = DataOf<typeof ADOPTED_CONTROL>;

export const FRAMEWORK_EVENTS = {
  FrameworkAdopted: event({
    library_id: optional(string()),
    name: string(),
    version: optional(string()),
    description: optional(string()),
    owner_id: optional(string()),
    controls: list(object(ADOPTED_CONTROL)),
    reason: optional(string()),
  }),
  FrameworkArchived: event({ archived_at: string(), reason: string() }),
  FrameworkRestored: event({ reason: string() }),
};

export type FrameworkEvent = EventOf<typeof FRAMEWORK_EVENTS>;
