import { changesOf, type EventOf, event, nullable, optional, string, withoutNulls } from './event-schema.ts';

/** The statuses in the order of the work. */
export const NONCONFORMITY_STATUSES = ['OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'] as const;
export const SEVERITIES = ['MAJOR', 'MINOR', 'OBSERVATION'] as const;

export type NonconformityStatus = (typeof NONCONFORMITY_STATUSES)[number];

const DETAILS = {
  reference_id: nullable(string()),
  description: string(),
  severity: nullable(string<(typeof SEVERITIES)[number]>()),
  audit_id: nullable(string()),
  date_identified: nullable(string()),
  root_cause: nullable(string()),
  corrective_action: nullable(string()),
  due_date: nullable(string()),
  effectiveness_check: nullable(string()),
};

export const NONCONFORMITY_EVENTS = {
  NonconformityRaised: event({
    ...withoutNulls(DETAILS),
    owner_id: optional(string()),
    status: optional(string<NonconformityStatus>()),
    closed_at: optional(string()),
    reason: optional(string()),
  }),
  NonconformityDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  NonconformityOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  NonconformityWorkStarted: event({ reason: optional(string()) }),
  NonconformitySubmittedForVerification: event({ reason: optional(string()) }),
  NonconformityClosed: event({ closed_at: string(), reason: optional(string()) }),
  NonconformitySetBack: event({ to: string<'OPEN' | 'IN_PROGRESS'>(), reason: string() }),
  NonconformityReopened: event({ reason: string() }),
  NonconformityArchived: event({ archived_at: string(), reason: string() }),
  NonconformityRestored: event({ reason: string() }),
};

export type NonconformityEvent = EventOf<typeof NONCONFORMITY_EVENTS>;
