import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers } from './event-members.ts';
import { type EventOf, event, eventWithReason, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import { type Fields, OWNER_FIELD, type StateOf, stateField } from './field.ts';
import { countByState, equals, type FamilyFigures, isIn, startsAfter } from './figure.ts';

/** The statuses in the order of the work. */
export const NONCONFORMITY_STATUSES = ['OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'] as const;
export const SEVERITIES = ['MAJOR', 'MINOR', 'OBSERVATION'] as const;

const FIELDS = {
  reference_id: { kind: 'name', label: 'Reference', search: 'SHORT', lookalike: true, naturalOrder: true },
  description: { kind: 'text', label: 'Finding', required: true, search: 'LONG', lookalike: true },
  severity: { kind: 'enum', label: 'Severity', changesNeedReason: true, values: SEVERITIES, filter: true },
  // The audit that found it, if any.
  audit_id: { kind: 'id', label: 'Audit id', prefix: 'aud', filter: true, detail: true },
  date_identified: { kind: 'date', label: 'Identified', isPastFact: true },
  root_cause: { kind: 'text', label: 'Root cause', search: 'LONG' },
  corrective_action: { kind: 'text', label: 'Corrective action', search: 'LONG' },
  due_date: { kind: 'date', label: 'Due' },
  effectiveness_check: { kind: 'text', label: 'Effectiveness check', detail: true },
  owner_id: OWNER_FIELD,
  status: stateField(NONCONFORMITY_STATUSES, 'OPEN'),
  closed_at: {
    kind: 'time',
    label: 'Closed',
    note: 'only if CLOSED',
    setBy: 'COMMAND',
    source: 'is set when status becomes CLOSED',
    isPastFact: true,
    timeOf: { fields: ['status'], values: ['CLOSED'] },
    excludedFromHistory: true,
  },
  overdue: {
    kind: 'past',
    label: 'Overdue',
    note: 'due before today, and not CLOSED',
    key: 'open_until',
    filter: true,
  },
} as const satisfies Fields;

export type NonconformityState = StateOf<typeof FIELDS>;
export type NonconformityStatus = NonconformityState['status'];

export const NONCONFORMITY_EVENTS = {
  NonconformityRaised: eventWithReason(addedMembers(FIELDS)),
  NonconformityDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  NonconformityWorkStarted: eventWithReason(),
  NonconformitySubmittedForVerification: eventWithReason(),
  NonconformityClosed: eventWithReason({ closed_at: string() }),
  NonconformitySetBack: event({ to: string<'OPEN' | 'IN_PROGRESS'>(), reason: string() }),
  NonconformityReopened: event({ reason: string() }),
  ...commonEvents('Nonconformity', FIELDS),
};

export type NonconformityEvent = EventOf<typeof NONCONFORMITY_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['open', 'open_until'] as const;

const FILTERS = {
  open: { kind: 'boolean', test: 'EQUAL', key: 'open', about: ['status'] },
  due_before: { kind: 'date', test: 'BEFORE', key: 'due_date' },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const NOT_CLOSED = isIn(
  'status',
  NONCONFORMITY_STATUSES.filter((status) => status !== 'CLOSED'),
);

const FIGURES = {
  group: 'Nonconformities',
  groupBy: ['status', 'severity'],
  total: { label: 'All nonconformities', meaning: 'nonconformities, including closed ones' },
  listed: [
    [
      {
        name: 'nonconformities_open',
        label: 'Not closed',
        meaning: 'nonconformities that are not CLOSED',
        where: [NOT_CLOSED],
      },
    ],
    countByState('nonconformities', 'status', ['CLOSED']),
    SEVERITIES.map((severity) => ({
      name: `nonconformities_${severity.toLowerCase()}`,
      label: `Not closed, ${severity.toLowerCase()}`,
      meaning: `nonconformities not closed, with severity ${severity}`,
      where: [NOT_CLOSED, equals('severity', severity)],
    })),
    [
      {
        name: 'nonconformities_without_severity',
        label: 'Not closed, without severity',
        meaning: 'nonconformities not closed and without a severity',
        where: [NOT_CLOSED, { key: 'severity', op: 'empty' }],
      },
      {
        name: 'nonconformities_overdue',
        label: 'Overdue',
        meaning: 'nonconformities not closed and due before today',
        days: startsAfter('open_until'),
      },
    ],
  ],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const NONCONFORMITY = {
  type: 'NONCONFORMITY',
  title: 'Nonconformity',
  singular: 'nonconformity',
  plural: 'nonconformities',
  prefix: 'ncf',
  fields: FIELDS,
  events: NONCONFORMITY_EVENTS,
  commands: { add: 'AddNonconformity', update: 'UpdateNonconformity' },
  commonEvents: {
    ...commonEventTypes('Nonconformity'),
    added: 'NonconformityRaised',
    detailsChanged: 'NonconformityDetailsChanged',
  },
  workflow: {
    field: 'status',
    finished: ['CLOSED'],
    transitions: {
      OPEN: ['IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'],
      IN_PROGRESS: ['OPEN', 'PENDING_VERIFICATION', 'CLOSED'],
      PENDING_VERIFICATION: ['OPEN', 'IN_PROGRESS', 'CLOSED'],
      CLOSED: ['OPEN'],
    },
    isOrdered: true,
    needs: {
      PENDING_VERIFICATION: ['root_cause', 'corrective_action'],
      CLOSED: ['root_cause', 'corrective_action', 'effectiveness_check'],
    },
    hint: 'First reopen it: set status to OPEN and give a reason. Then set the next status.',
  },
  computedKeys: KEYS,
  orders: ['due_date', 'date_identified'],
  leadingIndexKeys: ['status', 'open', 'audit_id'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'],
  summary: ['reference_id', 'severity', 'description', 'status', 'due_date', 'overdue'],
  titleField: 'description',
  links: ['RISK', 'MEASURE', 'CONTROL', 'VENDOR', 'OBLIGATION'],
  dueItems: [
    {
      name: 'NONCONFORMITY',
      label: 'Nonconformities',
      meaning: 'due dates of nonconformities that are not CLOSED',
      request: 'Finish the corrective action, and close the finding.',
      date: 'due_date',
      key: 'open_until',
    },
  ],
  importable: true,
  statedTimes: { NonconformityRaised: 'closed_at', NonconformityClosed: 'closed_at' },
  aboutFile: 'Each finding with its cause, corrective action and due date.',
  figures: FIGURES,
  decisions: { CLOSE: ['NonconformityClosed'] },
  tools: {
    list: {
      name: 'listNonconformities',
      title: 'List nonconformities',
      description:
        'List nonconformities (findings, from audits or elsewhere) by due_date. For what could go wrong: listRisks.',
      example: { filter: { open: true, severity: ['MAJOR'] } },
    },
    add: {
      name: 'addNonconformity',
      title: 'Add a nonconformity',
      description: 'Add a nonconformity (a finding), OPEN by default. Then linkRecords to the records it concerns.',
      example: {
        reference_id: 'NC-1',
        description: 'Restores are not tested',
        severity: 'MAJOR',
        audit_id: '{audit}',
        date_identified: '{today-2}',
        due_date: '{today+60}',
      },
    },
    update: {
      name: 'updateNonconformity',
      title: 'Change a nonconformity',
      idempotent: true,
      description:
        'Change a nonconformity. PENDING_VERIFICATION needs root_cause and corrective_action, CLOSED also effectiveness_check. CLOSED goes only to OPEN.',
      example: {
        root_cause: 'Nobody was responsible for it',
        corrective_action: 'A monthly restore test',
        status: 'PENDING_VERIFICATION',
        reason: 'The first restore test was done',
      },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof NONCONFORMITY_EVENTS, typeof KEYS, typeof FILTERS>;
