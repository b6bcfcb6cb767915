import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers } from './event-members.ts';
import { type EventOf, event, eventWithReason, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import { type Fields, OWNER_FIELD, type StateOf, stateField } from './field.ts';
import { countByState, type FamilyFigures } from './figure.ts';

export const AUDIT_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED'] as const;
export const AUDIT_KINDS = ['INTERNAL', 'EXTERNAL', 'CERTIFICATION', 'SURVEILLANCE'] as const;

const FIELDS = {
  framework_id: { kind: 'id', label: 'Framework id', prefix: 'frm', required: true, filter: true },
  name: { kind: 'name', label: 'Audit', required: true, search: 'SHORT', lookalike: true },
  kind: { kind: 'enum', label: 'Kind', values: AUDIT_KINDS, filter: true },
  auditor: { kind: 'name', label: 'Auditor' },
  starts_on: { kind: 'date', label: 'Starts' },
  period_from: { kind: 'date', label: 'Period from', note: 'the period it examines' },
  period_until: { kind: 'date', label: 'Period until' },
  valid_from: { kind: 'date', label: 'Valid from', note: "the certificate's validity" },
  valid_until: { kind: 'date', label: 'Valid until' },
  owner_id: OWNER_FIELD,
  state: stateField(AUDIT_STATES, 'NOT_STARTED'),
  // The audit pack shows the register at this position. It stays after the audit is reopened.
  completed_position: {
    kind: 'position',
    source: 'is set when state becomes COMPLETED',
    label: 'Completed with change',
    note: 'of the newest completion; works as as_of',
    of: 'AuditCompleted',
  },
} as const satisfies Fields;

export type AuditState = StateOf<typeof FIELDS>;
export type AuditProgress = AuditState['state'];

export const AUDIT_EVENTS = {
  AuditAdded: eventWithReason(addedMembers(FIELDS)),
  AuditDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  AuditStarted: eventWithReason(),
  AuditCompleted: eventWithReason(),
  AuditRejected: eventWithReason(),
  AuditReopened: event({ reason: string() }),
  AuditOutdated: eventWithReason(),
  AuditReinstated: event({ reason: string() }),
  ...commonEvents('Audit', FIELDS),
};

export type AuditEvent = EventOf<typeof AUDIT_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['life_from', 'life_until'] as const;

const FILTERS = {
  starts_after: { kind: 'date', test: 'AFTER', key: 'starts_on' },
  starts_before: { kind: 'date', test: 'BEFORE', key: 'starts_on' },
  valid_on: {
    kind: 'date',
    test: 'WITHIN',
    key: 'life_from',
    untilKey: 'life_until',
    about: ['valid_from', 'valid_until'],
  },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const FIGURES = {
  group: 'Audits',
  groupBy: ['state'],
  total: { label: 'All audits', meaning: 'audits' },
  listed: [countByState('audits', 'state', AUDIT_STATES)],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const AUDIT = {
  type: 'AUDIT',
  title: 'Audit',
  singular: 'audit',
  plural: 'audits',
  prefix: 'aud',
  fields: FIELDS,
  events: AUDIT_EVENTS,
  commands: { add: 'AddAudit', update: 'UpdateAudit' },
  commonEvents: { ...commonEventTypes('Audit'), added: 'AuditAdded', detailsChanged: 'AuditDetailsChanged' },
  workflow: {
    field: 'state',
    finished: ['REJECTED', 'OUTDATED'],
    transitions: {
      NOT_STARTED: ['IN_PROGRESS', 'COMPLETED', 'REJECTED'],
      IN_PROGRESS: ['COMPLETED', 'REJECTED'],
      COMPLETED: ['IN_PROGRESS', 'OUTDATED'],
      REJECTED: ['IN_PROGRESS'],
      OUTDATED: ['COMPLETED'],
    },
    isOrdered: true,
    hint: 'Only a COMPLETED audit becomes OUTDATED. For another round, add another audit.',
    // The event AuditCompleted pins the position of the audit's pack, so no audit is added as COMPLETED.
    first: {
      states: ['NOT_STARTED', 'IN_PROGRESS', 'REJECTED', 'OUTDATED'],
      hint: 'Add it IN_PROGRESS, then complete it with updateAudit.',
    },
  },
  computedKeys: KEYS,
  orders: ['starts_on', 'valid_until', 'name'],
  leadingIndexKeys: ['state'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'EVIDENCE'],
  summary: ['name', 'kind', 'state', 'starts_on', 'valid_until'],
  dueItems: [
    {
      name: 'AUDIT_STARTS',
      label: 'Audits starting',
      overdueLabel: 'Audits not started',
      meaning: 'start dates of audits that are NOT_STARTED',
      request: 'Prepare the audit, or move its start.',
      date: 'starts_on',
      filter: { state: ['NOT_STARTED'] },
    },
    {
      name: 'CERTIFICATE_ENDS',
      label: 'Certificates expiring',
      overdueLabel: 'Certificates expired',
      meaning: 'certificate expiry dates of COMPLETED audits',
      request: 'Plan the audit that renews the certificate.',
      date: 'valid_until',
      filter: { state: ['COMPLETED'] },
    },
  ],
  importable: true,
  aboutFile: 'Each audit with its auditor, scope, dates and status.',
  figures: FIGURES,
  decisions: { COMPLETE: ['AuditCompleted'], REJECT: ['AuditRejected'], OUTDATE: ['AuditOutdated'] },
  tools: {
    list: {
      name: 'listAudits',
      title: 'List audits',
      description: 'List audits (internal, certification), next by starts_on. A completed one’s documents: getReport.',
      example: { filter: { framework_id: ['{framework}'], state: ['NOT_STARTED', 'IN_PROGRESS'] } },
    },
    add: {
      name: 'addAudit',
      title: 'Add an audit',
      description:
        'Plan an audit (inspection) of a framework, NOT_STARTED by default; COMPLETED only later. Findings: addNonconformity with audit_id.',
      example: {
        framework_id: '{framework}',
        name: 'Internal audit of backups',
        kind: 'INTERNAL',
        auditor: 'Ida Inspector',
        starts_on: '{today+14}',
      },
    },
    update: {
      name: 'updateAudit',
      title: 'Change an audit',
      idempotent: true,
      description: 'Change an audit. COMPLETED pins the register for its documents; then only IN_PROGRESS or OUTDATED.',
      example: { state: 'IN_PROGRESS', starts_on: '{today}', reason: 'The auditor has begun' },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof AUDIT_EVENTS, typeof KEYS, typeof FILTERS>;
