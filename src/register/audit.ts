import { changesOf, type EventOf, event, nullable, optional, string, withoutNulls } from './event-schema.ts';

export const AUDIT_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED'] as const;
export const AUDIT_KINDS = ['INTERNAL', 'EXTERNAL', 'CERTIFICATION', 'SURVEILLANCE'] as const;

export type AuditProgress = (typeof AUDIT_STATES)[number];

const DETAILS = {
  framework_id: string(),
  name: string(),
  kind: nullable(string<(typeof AUDIT_KINDS)[number]>()),
  auditor: nullable(string()),
  starts_on: nullable(string()),
  period_from: nullable(string()),
  period_until: nullable(string()),
  valid_from: nullable(string()),
  valid_until: nullable(string()),
};

export const AUDIT_EVENTS = {
  AuditAdded: event({
    ...withoutNulls(DETAILS),
    owner_id: optional(string()),
    state: optional(string<AuditProgress>()),
    reason: optional(string()),
  }),
  AuditDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  AuditOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  AuditStarted: event({ reason: optional(string()) }),
  AuditCompleted: event({ reason: optional(string()) }),
  AuditRejected: event({ reason: optional(string()) }),
  AuditReopened: event({ reason: string() }),
  AuditOutdated: event({ reason: optional(string()) }),
  AuditArchived: event({ archived_at: string(), reason: string() }),
  AuditRestored: event({ reason: string() }),
};

export type AuditEvent = EventOf<typeof AUDIT_EVENTS>;
