import { type EventOf, event, list, optional, string } from './event-schema.ts';

export const EVIDENCE_EVENTS = {
  EvidenceAdded: event({
    name: string(),
    description: optional(string()),
    url: optional(string()),
    text: optional(string()),
    sha256: optional(string()),
    collected_at: optional(string()),
    valid_until: optional(string()),
    owner_id: optional(string()),
    record_ids: list(string()),
    reason: optional(string()),
  }),
  EvidenceArchived: event({ archived_at: string(), reason: string() }),
  EvidenceRestored: event({ reason: string() }),
};

export type EvidenceEvent = EventOf<typeof EVIDENCE_EVENTS>;
