import { changesOf, type EventOf, event, nullable, optional, string, withoutNulls } from './event-schema.ts';

export const COMPLIANCE = ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'] as const;

export type Compliance = (typeof COMPLIANCE)[number];

const DETAILS = {
  area: nullable(string()),
  source: nullable(string()),
  requirement: string(),
  actions_to_be_implemented: nullable(string()),
  regulator: nullable(string()),
  due_date: nullable(string()),
};

export const OBLIGATION_EVENTS = {
  ObligationAdded: event({
    ...withoutNulls(DETAILS),
    owner_id: optional(string()),
    status: optional(string<Compliance>()),
    last_review_date: optional(string()),
    reason: optional(string()),
  }),
  ObligationDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  ObligationOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  ObligationAssessed: event({
    status: string<Compliance>(),
    last_review_date: nullable(string()),
    reason: optional(string()),
  }),
  ObligationReviewDateCorrected: event({ last_review_date: nullable(string()), reason: optional(string()) }),
  ObligationArchived: event({ archived_at: string(), reason: string() }),
  ObligationRestored: event({ reason: string() }),
};

export type ObligationEvent = EventOf<typeof OBLIGATION_EVENTS>;
