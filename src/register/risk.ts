import {
  changesOf,
  type DataOf,
  type EventOf,
  event,
  nullable,
  number,
  optional,
  string,
  withoutNulls,
} from './event-schema.ts';

export const RISK_STATUSES = ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'] as const;
export const TREATMENTS = ['MITIGATED', 'ACCEPTED', 'AVOIDED', 'TRANSFERRED'] as const;

export type RiskStatus = (typeof RISK_STATUSES)[number];
export type Treatment = (typeof TREATMENTS)[number];

const DETAILS = {
  reference_id: nullable(string()),
  name: string(),
  description: nullable(string()),
  category: nullable(string()),
  note: nullable(string()),
  next_review_due: nullable(string()),
};

/** Each is 1 to 5, or null if not assessed. */
const RATINGS = {
  inherent_likelihood: nullable(number()),
  inherent_impact: nullable(number()),
  residual_likelihood: nullable(number()),
  residual_impact: nullable(number()),
};
export type RiskRatings = DataOf<typeof RATINGS>;

const ACCEPTANCE = {
  approver_id: string(),
  recorded_by: string(),
  accepted_at: string(),
  until: string(),
  reason: string(),
};
export type RiskAcceptance = DataOf<typeof ACCEPTANCE>;

export const RISK_EVENTS = {
  RiskAdded: event({
    ...withoutNulls(DETAILS),
    ...withoutNulls(RATINGS),
    owner_id: optional(string()),
    status: optional(string<RiskStatus>()),
    treatment: optional(string<Treatment>()),
    last_assessed_at: optional(string()),
    reason: optional(string()),
  }),
  RiskDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  RiskOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  RiskAssessed: event({ ratings: changesOf(RATINGS), assessed_at: string(), reason: optional(string()) }),
  RiskTreatmentPlanned: event({ treatment: nullable(string<Treatment>()), reason: optional(string()) }),
  RiskTreatmentStarted: event({ reason: optional(string()) }),
  RiskTreatmentHalted: event({ reason: optional(string()) }),
  RiskAccepted: event(ACCEPTANCE),
  RiskAcceptanceRevoked: event({ cause: string<'DECISION' | 'SCORE_RAISED'>(), reason: optional(string()) }),
  RiskClosed: event({ reason: string() }),
  RiskReopened: event({ reason: string() }),
  RiskArchived: event({ archived_at: string(), reason: string() }),
  RiskRestored: event({ reason: string() }),
};

export type RiskEvent = EventOf<typeof RISK_EVENTS>;
