import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers } from './event-members.ts';
import {
  type EventOf,
  event,
  eventWithDates,
  eventWithReason,
  nullable,
  reviewedEvent,
  string,
} from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import {
  type Fields,
  LAST_REVIEWED_FIELD,
  OWNER_FIELD,
  REVIEW_INTERVAL_FIELD,
  type StateOf,
  stateField,
} from './field.ts';
import { countByState, equals, type FamilyFigures, startsAfter } from './figure.ts';

/** The states in the order of the work, then NOT_APPLICABLE. */
export const MEASURE_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'] as const;

const FIELDS = {
  reference_id: { kind: 'name', label: 'Reference', search: 'SHORT', lookalike: true, naturalOrder: true },
  name: { kind: 'name', label: 'Measure', required: true, search: 'SHORT', lookalike: true },
  description: { kind: 'text', label: 'Description', search: 'LONG' },
  category: { kind: 'name', label: 'Category', filter: true },
  due_date: { kind: 'date', label: 'Due' },
  next_review_due: { kind: 'date', label: 'Next review', hiddenInAdds: true },
  review_interval_months: { ...REVIEW_INTERVAL_FIELD, hiddenInAdds: true },
  owner_id: OWNER_FIELD,
  state: stateField(MEASURE_STATES, 'NOT_STARTED'),
  // The reason why the measure doesn't apply. It stays when the measure applies again, until it is changed or cleared.
  justification: { kind: 'text', label: 'Justification', hasOwnEvent: true },
  implemented_at: {
    kind: 'time',
    label: 'Implemented',
    note: 'only if IMPLEMENTED',
    hiddenInAdds: true,
    setBy: 'ADD',
    source: 'is set when state becomes IMPLEMENTED',
    isPastFact: true,
    timeOf: { fields: ['state'], values: ['IMPLEMENTED'] },
  },
  last_reviewed: LAST_REVIEWED_FIELD,
  evidence_count: { kind: 'count', label: 'Evidence', note: 'expired evidence too', of: 'EVIDENCE' },
  valid_evidence_count: { kind: 'validCount', label: 'Valid evidence', of: 'EVIDENCE_UNTIL:' },
  control_count: { kind: 'count', label: 'Controls', of: 'CONTROL' },
  risk_count: { kind: 'count', label: 'Risks', of: 'RISK' },
  overdue: {
    kind: 'past',
    label: 'Overdue',
    note: 'due before today, and neither IMPLEMENTED nor NOT_APPLICABLE',
    key: 'open_until',
    filter: true,
  },
} as const satisfies Fields;

export type MeasureState = StateOf<typeof FIELDS>;
export type MeasureProgress = MeasureState['state'];

export const MEASURE_EVENTS = {
  MeasureAdded: eventWithDates(eventWithReason(addedMembers(FIELDS))),
  MeasureDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  MeasureReviewed: reviewedEvent(),
  MeasureStarted: eventWithReason(),
  MeasureImplemented: eventWithReason({ implemented_at: string() }),
  MeasureSetBack: event({ to: string<'NOT_STARTED' | 'IN_PROGRESS'>(), reason: string() }),
  MeasureRuledOut: eventWithReason({ justification: string() }),
  MeasureReinstated: event({
    to: string<Exclude<MeasureProgress, 'NOT_APPLICABLE'>>(),
    implemented_at: nullable(string()),
    reason: string(),
  }),
  MeasureJustificationChanged: eventWithReason({ justification: nullable(string()) }),
  ...commonEvents('Measure', FIELDS),
};

export type MeasureEvent = EventOf<typeof MEASURE_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['open_until', 'review_due'] as const;

const FILTERS = {
  due_before: { kind: 'date', test: 'BEFORE', key: 'due_date' },
  review_due_before: { kind: 'date', test: 'BEFORE', key: 'review_due', about: ['next_review_due'] },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const FIGURES = {
  group: 'Measures',
  groupBy: ['state'],
  total: { label: 'All measures', meaning: 'measures' },
  listed: [
    // Lists are sorted by state, so the stored key is the state's rank.
    countByState('measures', 'state', MEASURE_STATES).map((figure, rank) => ({
      ...figure,
      where: [equals('state', rank)],
    })),
    [
      {
        name: 'measures_overdue',
        label: 'Overdue',
        meaning: 'measures due before today that are neither IMPLEMENTED nor NOT_APPLICABLE',
        days: startsAfter('open_until'),
      },
      {
        name: 'measures_without_evidence',
        label: 'Implemented, without valid evidence',
        meaning: 'IMPLEMENTED measures without linked evidence that is valid today',
        where: [equals('state', MEASURE_STATES.indexOf('IMPLEMENTED'))],
        days: startsAfter('evidence_until'),
      },
    ],
  ],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const MEASURE = {
  type: 'MEASURE',
  title: 'Measure',
  singular: 'measure',
  plural: 'measures',
  prefix: 'msr',
  fields: FIELDS,
  events: MEASURE_EVENTS,
  commands: { add: 'AddMeasure', update: 'UpdateMeasure' },
  commonEvents: {
    ...commonEventTypes('Measure'),
    added: 'MeasureAdded',
    detailsChanged: 'MeasureDetailsChanged',
    reviewed: 'MeasureReviewed',
  },
  workflow: {
    field: 'state',
    finished: ['NOT_APPLICABLE'],
    transitions: MEASURE_STATES,
    isOrdered: true,
    needs: { NOT_APPLICABLE: ['justification'] },
  },
  computedKeys: KEYS,
  reviewable: true,
  orders: ['name', 'state', 'due_date'],
  leadingIndexKeys: ['state'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  summary: ['reference_id', 'name', 'state', 'due_date', 'evidence_count'],
  links: ['CONTROL', 'OBLIGATION', 'VENDOR'],
  effectiveDates: { MeasureImplemented: 'implemented_at', MeasureAdded: 'implemented_at' },
  // The implementation of controls follows from it.
  countedBy: 'state',
  dueItems: [
    {
      name: 'MEASURE',
      label: 'Measures',
      meaning: 'due dates of measures that are neither IMPLEMENTED nor NOT_APPLICABLE',
      request: 'Finish the measure, or move its date.',
      date: 'due_date',
      key: 'open_until',
    },
    {
      name: 'MEASURE_REVIEW',
      isLater: true,
      label: 'Measure reviews',
      meaning: 'next reviews of measures that are not NOT_APPLICABLE',
      request: 'Review the measure: does it still work?',
      date: 'next_review_due',
      key: 'review_due',
    },
  ],
  importable: true,
  aboutFile: 'Each measure with its status, owner, due date and number of controls.',
  figures: FIGURES,
  tools: {
    list: {
      name: 'listMeasures',
      title: 'List measures',
      description:
        "List measures (actions that treat risks or implement controls) by name. A framework's requirements: listControls.",
      example: { filter: { overdue: true }, order_by: { field: 'due_date' } },
    },
    add: {
      name: 'addMeasure',
      title: 'Add a measure',
      description:
        'Add a measure, NOT_STARTED by default; NOT_APPLICABLE needs justification. Then linkRecords to controls and risks.',
      example: { reference_id: 'M-1', name: 'Monthly restore test', due_date: '{today-10}', owner_id: 'ME' },
    },
    update: {
      name: 'updateMeasure',
      title: 'Change a measure',
      description:
        'Change a measure. In place: IMPLEMENTED (sets implemented_at). Control not applicable: updateControl.',
      example: { state: 'IN_PROGRESS', category: 'Continuity', reason: 'The first restore is planned' },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof MEASURE_EVENTS, typeof KEYS, typeof FILTERS>;
