import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers, objectMembers } from './event-members.ts';
import {
  changesOf,
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
  IMPORTED_FIELD,
  LAST_REVIEWED_FIELD,
  OWNER_FIELD,
  REVIEW_INTERVAL_FIELD,
  type StateOf,
  stateField,
} from './field.ts';
import { countByState, type FamilyFigures, isIn, startsAfter } from './figure.ts';

export const RISK_STATUSES = ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'] as const;
export const TREATMENTS = ['MITIGATED', 'ACCEPTED', 'AVOIDED', 'TRANSFERRED'] as const;
export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
/** The lowest and highest score of each priority. */
export const PRIORITY_SCORES = { LOW: [1, 4], MEDIUM: [5, 9], HIGH: [10, 14], CRITICAL: [15, 25] } as const;

const LIKELIHOOD_FIELD = {
  kind: 'rating',
  labels: { 1: 'Rare', 2: 'Unlikely', 3: 'Possible', 4: 'Likely', 5: 'Almost certain' },
  hasOwnEvent: true,
  changesNeedReason: true,
  detail: true,
} as const;
const IMPACT_FIELD = {
  kind: 'rating',
  labels: { 1: 'Negligible', 2: 'Minor', 3: 'Moderate', 4: 'Major', 5: 'Severe' },
  hasOwnEvent: true,
  changesNeedReason: true,
  detail: true,
} as const;

/** Each is 1 to 5, or null if not assessed. */
const RATING_FIELDS = {
  inherent_likelihood: { ...LIKELIHOOD_FIELD, label: 'Inherent likelihood' },
  inherent_impact: { ...IMPACT_FIELD, label: 'Inherent impact' },
  residual_likelihood: { ...LIKELIHOOD_FIELD, label: 'Residual likelihood' },
  residual_impact: { ...IMPACT_FIELD, label: 'Residual impact' },
} as const satisfies Fields;

const FIELDS = {
  reference_id: { kind: 'name', label: 'Reference', search: 'SHORT', lookalike: true, naturalOrder: true },
  name: { kind: 'name', label: 'Risk', required: true, search: 'SHORT', lookalike: true },
  description: { kind: 'text', label: 'Description', search: 'LONG' },
  category: { kind: 'name', label: 'Category', filter: true },
  note: { kind: 'text', label: 'Note', detail: true },
  ...RATING_FIELDS,
  next_review_due: { kind: 'date', label: 'Next review' },
  review_interval_months: { ...REVIEW_INTERVAL_FIELD, hiddenInAdds: true },
  treatment: {
    kind: 'enum',
    label: 'Treatment',
    values: TREATMENTS,
    // A plan stays when an acceptance ends or is revoked, so its words say what is planned and never what is so.
    labels: { MITIGATED: 'Mitigate', ACCEPTED: 'Accept', AVOIDED: 'Avoid', TRANSFERRED: 'Transfer' },
    note: 'only the plan',
    hasOwnEvent: true,
    filter: true,
  },
  owner_id: OWNER_FIELD,
  status: stateField(RISK_STATUSES, 'OPEN'),
  inherent_score: {
    kind: 'score',
    label: 'Inherent score',
    derived: true,
    source: 'is inherent_likelihood × inherent_impact',
  },
  residual_score: {
    kind: 'score',
    label: 'Residual score',
    derived: true,
    source: 'is residual_likelihood × residual_impact',
  },
  score: {
    kind: 'score',
    label: 'Score',
    note: 'residual_score once assessed, otherwise inherent_score',
    derived: true,
    source:
      'follows from likelihood and impact: residual_likelihood and residual_impact, else inherent_likelihood and inherent_impact',
  },
  priority: {
    kind: 'enum',
    label: 'Priority',
    values: PRIORITIES,
    derived: true,
    source:
      'follows from score, so from residual_likelihood and residual_impact, else inherent_likelihood and inherent_impact',
    filter: {
      note: `LOW up to ${PRIORITY_SCORES.LOW[1]}, MEDIUM ${PRIORITY_SCORES.MEDIUM[1]}, HIGH ${PRIORITY_SCORES.HIGH[1]}`,
    },
  },
  last_assessed_at: {
    kind: 'time',
    label: 'Assessed',
    setBy: 'COMMAND',
    source: 'is the time at which a likelihood or an impact was last given',
    isPastFact: true,
    timeOf: { fields: Object.keys(RATING_FIELDS) },
    excludedFromHistory: true,
    detail: true,
  },
  last_reviewed: LAST_REVIEWED_FIELD,
  measure_count: { kind: 'count', label: 'Measures', of: 'MEASURE' },
  acceptance: {
    kind: 'object',
    label: 'Acceptance',
    setBy: 'COMMAND',
    source: 'is set by decideRisk',
    fields: {
      approver_id: {
        kind: 'account',
        label: 'Accepted by',
        note: 'null if imported and by nobody with an account',
        detail: true,
      },
      recorded_by: { kind: 'account', label: 'Recorded by', required: true },
      accepted_at: { kind: 'time', label: 'Accepted', note: 'null if imported without a date' },
      until: { kind: 'date', label: 'Accepted until', required: true },
      reason: { kind: 'text', label: 'Reason for acceptance', required: true, detail: true },
      expired: { kind: 'past', label: 'Acceptance expired', note: 'until is past', key: 'accepted_until' },
    },
  },
  imported: { ...IMPORTED_FIELD, label: 'Imported acceptance', note: 'where an imported acceptance comes from' },
} as const satisfies Fields;

/** A past acceptance, besides `status`. */
const PAST_ACCEPTANCE_FIELDS = {
  accepted_until: { kind: 'date', label: 'Accepted until' },
  accepted_at: { kind: 'time', label: 'Accepted on', isPastFact: true },
  accepted_by: { kind: 'person', label: 'Accepted by' },
  acceptance_reason: { kind: 'text', label: 'Reason for acceptance' },
} as const satisfies Fields;

export type RiskState = StateOf<typeof FIELDS>;
export type RiskRatings = Pick<RiskState, keyof typeof RATING_FIELDS>;
export type RiskStatus = RiskState['status'];
export type Treatment = NonNullable<RiskState['treatment']>;
export type RiskAcceptance = NonNullable<RiskState['acceptance']>;
export type RiskRow = Partial<RiskState & StateOf<typeof PAST_ACCEPTANCE_FIELDS>>;
export type Priority = (typeof PRIORITIES)[number];

export const RISK_EVENTS = {
  RiskAdded: eventWithReason(addedMembers(FIELDS)),
  RiskDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  RiskReviewed: reviewedEvent(),
  RiskAssessed: eventWithReason({
    ratings: changesOf(objectMembers(RATING_FIELDS)),
    assessed_at: string(),
  }),
  RiskTreatmentPlanned: eventWithReason({ treatment: nullable(string<Treatment>()) }),
  RiskTreatmentStarted: eventWithReason(),
  RiskTreatmentHalted: eventWithReason(),
  RiskAccepted: event({
    ...objectMembers(FIELDS.acceptance.fields),
    approver_id: string(),
    accepted_at: string(),
  }),
  RiskAcceptanceImported: eventWithDates(
    event({
      ...objectMembers(FIELDS.acceptance.fields),
      ...objectMembers(FIELDS.imported.fields),
    }),
  ),
  RiskAcceptanceRevoked: eventWithReason({ cause: string<'DECISION' | 'SCORE_RAISED'>() }),
  RiskClosed: event({ reason: string() }),
  RiskReopened: event({ reason: string() }),
  ...commonEvents('Risk', FIELDS),
};

export type RiskEvent = EventOf<typeof RISK_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['likelihood', 'impact', 'review_due', 'accepted_until'] as const;

const FILTERS = {
  min_score: { kind: 'score', label: 'Score at least', test: 'AT_LEAST', key: 'score' },
  max_score: { kind: 'score', label: 'Score at most', test: 'AT_MOST', key: 'score' },
  likelihood: { kind: 'rating', test: 'EQUAL', key: 'likelihood', about: ['score'] },
  impact: { kind: 'rating', test: 'EQUAL', key: 'impact', about: ['score'] },
  acceptance_expired: { kind: 'boolean', test: 'PAST', key: 'accepted_until', about: ['acceptance'] },
  acceptance_until_before: {
    kind: 'date',
    label: 'Acceptance ends before',
    test: 'BEFORE',
    key: 'accepted_until',
    about: ['acceptance'],
  },
  // `next_review_due` is also of CLOSED risks; `review_due` only of the others.
  due_before: { kind: 'date', test: 'BEFORE', key: 'next_review_due' },
  overdue: { kind: 'boolean', test: 'PAST', key: 'review_due', about: ['next_review_due'] },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const NOT_CLOSED = isIn(
  'status',
  RISK_STATUSES.filter((status) => status !== 'CLOSED'),
);

const FIGURES = {
  group: 'Risks',
  groupBy: ['status', 'score'],
  total: { label: 'All risks', meaning: 'risks, including closed ones' },
  listed: [
    countByState('risks', 'status', RISK_STATUSES),
    [{ name: 'risks_not_closed', label: 'Not closed', meaning: 'risks that are not CLOSED', where: [NOT_CLOSED] }],
    [...PRIORITIES].reverse().map((priority) => {
      const [gte, lte] = PRIORITY_SCORES[priority];
      return {
        name: `risks_${priority.toLowerCase()}`,
        label: `Not closed, ${priority.toLowerCase()}`,
        meaning: `risks not closed, with priority ${priority}`,
        where: [NOT_CLOSED, { key: 'score', op: 'range', gte, lte } as const],
      };
    }),
    [
      {
        name: 'risks_without_score',
        label: 'Not closed, not rated',
        meaning: 'risks not closed and without a score; they have no priority and no cell in the matrix',
        where: [NOT_CLOSED, { key: 'score', op: 'empty' }],
      },
      {
        name: 'risks_without_measures',
        label: 'Without a measure',
        meaning: 'OPEN or IN_TREATMENT risks without a linked measure',
        where: [isIn('status', ['OPEN', 'IN_TREATMENT']), { key: 'measures', op: 'empty' }],
      },
      {
        name: 'risks_review_overdue',
        label: 'Review overdue',
        meaning: 'risks not closed whose next review was due before today',
        days: startsAfter('review_due'),
      },
      {
        name: 'risk_acceptances_expired',
        label: 'Acceptance expired',
        meaning: 'ACCEPTED risks whose acceptance ended before today',
        days: startsAfter('accepted_until'),
      },
    ],
  ],
  unlisted: [{ name: 'risks_score_total', where: [NOT_CLOSED, { key: 'score', op: 'present' }], sum: 'score' }],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const RISK = {
  type: 'RISK',
  title: 'Risk',
  singular: 'risk',
  plural: 'risks',
  prefix: 'rsk',
  fields: FIELDS,
  events: RISK_EVENTS,
  commands: { add: 'AddRisk', update: 'UpdateRisk' },
  commonEvents: {
    ...commonEventTypes('Risk'),
    added: 'RiskAdded',
    detailsChanged: 'RiskDetailsChanged',
    reviewed: 'RiskReviewed',
  },
  workflow: {
    field: 'status',
    finished: ['CLOSED'],
    // decideRisk makes all other transitions.
    transitions: { OPEN: ['IN_TREATMENT'], IN_TREATMENT: ['OPEN'], ACCEPTED: [], CLOSED: [] },
    isOrdered: true,
    hint: 'decideRisk accepts, revokes, closes and reopens.',
    first: { states: ['OPEN', 'IN_TREATMENT', 'CLOSED'], hint: 'Add it, then call decideRisk.' },
  },
  computedKeys: KEYS,
  reviewable: true,
  orders: ['score', 'name', 'next_review_due'],
  descending: true,
  leadingIndexKeys: ['status'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'SCORE', 'MEASURES', 'CONTROLS', 'EVIDENCE'],
  summary: ['reference_id', 'name', 'status', 'acceptance', 'score', 'priority', 'treatment'],
  links: ['MEASURE', 'VENDOR', 'OBLIGATION', 'CONTROL'],
  effectiveDates: { RiskAcceptanceImported: 'accepted_at' },
  statedTimes: { RiskAdded: 'last_assessed_at', RiskAssessed: 'assessed_at' },
  dueItems: [
    {
      name: 'RISK_REVIEW',
      label: 'Risk reviews',
      meaning: 'next reviews of risks that are not CLOSED',
      request: 'Review the risk: is its score still right?',
      date: 'next_review_due',
      key: 'review_due',
    },
    {
      name: 'RISK_ACCEPTANCE_ENDS',
      label: 'Risk acceptances ending',
      overdueLabel: 'Risk acceptances ended',
      meaning: 'risk acceptances that end',
      request: 'Accept the risk again, or treat it.',
      date: 'acceptance.until',
      key: 'accepted_until',
    },
  ],
  importable: true,
  pastDecision: { states: ['ACCEPTED'], fields: PAST_ACCEPTANCE_FIELDS },
  aboutFile: 'Each risk with its rating, treatment, owner and next review.',
  figures: FIGURES,
  decisions: { ACCEPT: ['RiskAccepted', 'RiskAcceptanceImported'], CLOSE: ['RiskClosed'] },
  tools: {
    list: {
      name: 'listRisks',
      title: 'List risks',
      description: 'List risks (threats), worst score first. High priority: filter.priority [HIGH, CRITICAL].',
      example: { filter: { priority: ['HIGH', 'CRITICAL'], owner_id: ['ME'] } },
    },
    add: {
      name: 'addRisk',
      title: 'Add a risk',
      description:
        'Add an OPEN risk (threat). Ratings 1-5; score is likelihood × impact, residual at most inherent. To accept: decideRisk.',
      example: {
        reference_id: 'R-1',
        name: 'Backups cannot be restored',
        inherent_likelihood: 4,
        inherent_impact: 4,
        owner_id: 'ME',
      },
    },
    update: {
      name: 'updateRisk',
      title: 'Change a risk',
      description:
        'Change a risk: its likelihood, impact (1-5), treatment plan, status OPEN or IN_TREATMENT. A higher score ends the acceptance. Accept, close, reopen: decideRisk.',
      example: {
        residual_likelihood: 3,
        residual_impact: 4,
        treatment: 'MITIGATED',
        status: 'IN_TREATMENT',
        reason: 'Restores are tested every month',
      },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof RISK_EVENTS, typeof KEYS, typeof FILTERS>;
