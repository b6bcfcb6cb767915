import { changesOf, type EventOf, event, nullable, optional, string } from './event-schema.ts';

/** The events of a control's own stream. Its first state is in its framework's `FrameworkAdopted`. */
export const CONTROL_EVENTS = {
  ControlDetailsChanged: event({
    changes: changesOf({ name: string(), description: nullable(string()) }),
    reason: optional(string()),
  }),
  ControlOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  ControlIncluded: event({ inclusion_justification: nullable(string()), reason: optional(string()) }),
  ControlExcluded: event({ exclusion_justification: string(), reason: optional(string()) }),
  ControlJustified: event({
    inclusion_justification: optional(nullable(string())),
    exclusion_justification: optional(nullable(string())),
    reason: optional(string()),
  }),
  ControlArchived: event({ archived_at: string(), reason: string() }),
  ControlRestored: event({ reason: string() }),
};

export type ControlEvent = EventOf<typeof CONTROL_EVENTS>;
