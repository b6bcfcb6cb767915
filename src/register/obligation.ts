import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers, restoredMembers } from './event-members.ts';
import { type EventOf, event, eventWithReason, nullable, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import { type Fields, OWNER_FIELD, REVIEW_INTERVAL_FIELD, type StateOf, stateField } from './field.ts';
import { countByState, type FamilyFigures, startsAfter } from './figure.ts';

export const COMPLIANCE = ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'] as const;

/** The states that an assessment leads to. */
const ASSESSED = COMPLIANCE.filter((status) => status !== 'NOT_ASSESSED');

const FIELDS = {
  area: { kind: 'name', label: 'Area', filter: true, search: 'SHORT' },
  source: { kind: 'name', label: 'Source', note: 'law or contract', filter: { byWords: true }, search: 'SHORT' },
  requirement: { kind: 'text', label: 'Requirement', required: true, search: 'LONG', lookalike: true },
  actions_to_be_implemented: { kind: 'text', label: 'Actions', detail: true },
  regulator: { kind: 'name', label: 'Regulator', filter: true, search: 'SHORT' },
  due_date: { kind: 'date', label: 'Due' },
  review_interval_months: { ...REVIEW_INTERVAL_FIELD, hiddenInAdds: true },
  owner_id: OWNER_FIELD,
  status: stateField(COMPLIANCE, 'NOT_ASSESSED'),
  last_review_date: {
    kind: 'date',
    label: 'Reviewed',
    hasOwnEvent: true,
    isPastFact: true,
    timeOf: { fields: ['status'], values: ASSESSED },
    hiddenInAdds: true,
  },
  overdue: {
    kind: 'past',
    label: 'Overdue',
    note: 'due before today, and either not COMPLIANT, never reviewed, or last reviewed over 366 days before due_date',
    key: 'unmet_until',
    filter: { note: 'includes COMPLIANT obligations last reviewed over 366 days before due_date' },
  },
} as const satisfies Fields;

export type ObligationState = StateOf<typeof FIELDS>;
export type Compliance = ObligationState['status'];

export const OBLIGATION_EVENTS = {
  ObligationAdded: eventWithReason(addedMembers(FIELDS)),
  ObligationDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  ObligationAssessed: eventWithReason({
    status: string<Compliance>(),
    last_review_date: nullable(string()),
  }),
  ObligationReviewDateCorrected: eventWithReason({ last_review_date: nullable(string()) }),
  ObligationAssessmentWithdrawn: event({ event_id: string(), fields: restoredMembers(FIELDS), reason: string() }),
  ...commonEvents('Obligation', FIELDS),
};

export type ObligationEvent = EventOf<typeof OBLIGATION_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['unmet_until'] as const;

const FILTERS = {
  due_before: { kind: 'date', test: 'BEFORE', key: 'due_date' },
  due_after: { kind: 'date', test: 'AFTER', key: 'due_date' },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const FIGURES = {
  group: 'Obligations',
  groupBy: ['status'],
  total: { label: 'All obligations', meaning: 'obligations' },
  listed: [
    countByState('obligations', 'status', COMPLIANCE),
    [
      {
        name: 'obligations_overdue',
        label: 'Overdue',
        meaning: 'obligations past due and either not COMPLIANT or not reviewed in the preceding year',
        days: startsAfter('unmet_until'),
      },
    ],
  ],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const OBLIGATION = {
  type: 'OBLIGATION',
  title: 'Obligation',
  singular: 'obligation',
  plural: 'obligations',
  prefix: 'obl',
  fields: FIELDS,
  events: OBLIGATION_EVENTS,
  commands: { add: 'AddObligation', update: 'UpdateObligation', withdraw: 'WithdrawAssessment' },
  commonEvents: {
    ...commonEventTypes('Obligation'),
    added: 'ObligationAdded',
    detailsChanged: 'ObligationDetailsChanged',
    withdrawn: 'ObligationAssessmentWithdrawn',
  },
  computedKeys: KEYS,
  reviewable: true,
  orders: ['due_date', 'area'],
  leadingIndexKeys: ['status'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  summary: ['requirement', 'area', 'status', 'due_date', 'overdue'],
  titleField: 'requirement',
  links: ['VENDOR', 'CONTROL'],
  effectiveDates: { ObligationAssessed: 'last_review_date' },
  dueItems: [
    {
      name: 'OBLIGATION',
      label: 'Obligations',
      meaning: 'due dates of obligations that are either not COMPLIANT or not reviewed in the year before that date',
      request: 'Record whether you comply.',
      date: 'due_date',
      key: 'unmet_until',
    },
  ],
  importable: true,
  withdrawal: { noun: 'assessment', of: ['ObligationAssessed'], tool: 'updateObligation' },
  aboutFile: 'Each obligation with its source, requirement, status and last review.',
  figures: FIGURES,
  decisions: { ASSESS: ['ObligationAssessed', 'ObligationAssessmentWithdrawn'] },
  firstDecisions: ASSESSED,
  tools: {
    list: {
      name: 'listObligations',
      title: 'List obligations',
      description:
        "List obligations (duties from laws, regulators, contracts) by due_date. Not met: NON_COMPLIANT. A framework's requirements: listControls.",
      example: { filter: { due_before: '{today+60}' } },
    },
    add: {
      name: 'addObligation',
      title: 'Add an obligation',
      description:
        'Add an obligation (a duty from a law, regulation, authority or contract), NOT_ASSESSED by default. Actions that meet it: addMeasure, linkRecords.',
      example: {
        requirement: 'Report a personal data breach to the authority within 72 hours',
        area: 'Privacy',
        source: 'GDPR Art. 33',
        regulator: 'Data protection authority',
        due_date: '{today+30}',
      },
    },
    update: {
      name: 'updateObligation',
      title: 'Change or assess an obligation',
      description:
        'Correct or assess an obligation. status sets last_review_date (default today). withdraw takes back the newest (reason).',
      example: {
        status: 'PARTIALLY_COMPLIANT',
        actions_to_be_implemented: 'Rehearse the reporting path',
        reason: 'The path was never rehearsed',
      },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof OBLIGATION_EVENTS, typeof KEYS, typeof FILTERS>;
