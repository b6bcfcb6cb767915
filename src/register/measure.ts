import { changesOf, type EventOf, event, nullable, optional, string, withoutNulls } from './event-schema.ts';

/** The states in the order of the work, then NOT_APPLICABLE. */
export const MEASURE_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'] as const;

export type MeasureProgress = (typeof MEASURE_STATES)[number];

const DETAILS = {
  reference_id: nullable(string()),
  name: string(),
  description: nullable(string()),
  category: nullable(string()),
  due_date: nullable(string()),
};

export const MEASURE_EVENTS = {
  MeasureAdded: event({
    ...withoutNulls(DETAILS),
    owner_id: optional(string()),
    state: optional(string<MeasureProgress>()),
    justification: optional(string()),
    implemented_at: optional(string()),
    reason: optional(string()),
  }),
  MeasureDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  MeasureOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  MeasureStarted: event({ reason: optional(string()) }),
  MeasureImplemented: event({ implemented_at: string(), reason: optional(string()) }),
  MeasureSetBack: event({ to: string<'NOT_STARTED' | 'IN_PROGRESS'>(), reason: string() }),
  MeasureRuledOut: event({ justification: string(), reason: optional(string()) }),
  MeasureReinstated: event({
    to: string<Exclude<MeasureProgress, 'NOT_APPLICABLE'>>(),
    implemented_at: nullable(string()),
    reason: string(),
  }),
  MeasureJustificationChanged: event({ justification: nullable(string()), reason: optional(string()) }),
  MeasureArchived: event({ archived_at: string(), reason: string() }),
  MeasureRestored: event({ reason: string() }),
};

export type MeasureEvent = EventOf<typeof MEASURE_EVENTS>;
