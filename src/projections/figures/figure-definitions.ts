import { addDays } from '../../commands/engine/dates.ts';
import { AUDIT_STATES } from '../../register/audit.ts';
import { CONTROL_STATUSES, IMPLEMENTATIONS } from '../../register/control.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/field.ts';
import { MEASURE_STATES } from '../../register/measure.ts';
import { NONCONFORMITY_STATUSES, SEVERITIES } from '../../register/nonconformity.ts';
import { COMPLIANCE } from '../../register/obligation.ts';
import { PRIORITIES, PRIORITY_SCORES, RISK_STATUSES } from '../../register/risk.ts';
import { VENDOR_STATUSES } from '../../register/vendor.ts';
import type { Condition, Scalar } from '../../stores/read-store.ts';

/** A count of a family's live records, or a sum over them, defined by their stored keys. */
export interface FigureDefinition {
  /** Permanent: digests of reports and stored figures contain it. A changed definition needs a new name. */
  name: string;
  /** Conditions that don't depend on the day. By default every record meets them. */
  where?: readonly Condition[];
  /** The days on which a record counts. By default all days. */
  days?: CountedDays;
  /** A stored number to add up, instead of counting records. */
  sum?: string;
}

/**
 * Days relative to the date in a stored key. `{ key: 'ends', from: -30, until: 1 }` starts 30 days before that date and
 * stops on the day after it. Without `until` it never stops.
 */
interface CountedDays {
  key: string;
  from: number;
  until?: number;
}

/** From the day after a date. */
const startsAfter = (key: string): CountedDays => ({ key, from: 1 });

function isIn(key: string, values: readonly Scalar[]): Condition {
  return { key, op: 'in', values };
}

function equals(key: string, value: Scalar): Condition {
  return { key, op: 'eq', value };
}

/** Returns one figure for each state. */
function byState(plural: string, states: readonly string[], key = 'status'): FigureDefinition[] {
  return states.map((state) => ({ name: `${plural}_${state.toLowerCase()}`, where: [equals(key, state)] }));
}

const NOT_CLOSED_RISK = isIn(
  'status',
  RISK_STATUSES.filter((status) => status !== 'CLOSED'),
);
const NOT_OFFBOARDED_VENDOR = isIn(
  'status',
  VENDOR_STATUSES.filter((status) => status !== 'OFFBOARDED'),
);
const INCLUDED_CONTROL = equals('status', 'INCLUDED');
const OPEN_NONCONFORMITY = isIn(
  'status',
  NONCONFORMITY_STATUSES.filter((status) => status !== 'CLOSED'),
);

/** Returns one figure for each priority, of risks that are not closed. */
function risksByPriority(): FigureDefinition[] {
  return PRIORITIES.map((priority) => {
    const [gte, lte] = PRIORITY_SCORES[priority];
    return {
      name: `risks_${priority.toLowerCase()}`,
      where: [NOT_CLOSED_RISK, { key: 'score', op: 'range', gte, lte }],
    };
  });
}

/** The figures of each family, in addition to `overdue`. */
const OWN_FIGURES: Readonly<Record<FamilyName, readonly FigureDefinition[]>> = {
  RISK: [
    { name: 'risks' },
    ...byState('risks', RISK_STATUSES),
    { name: 'risks_not_closed', where: [NOT_CLOSED_RISK] },
    ...risksByPriority(),
    { name: 'risks_without_score', where: [NOT_CLOSED_RISK, { key: 'score', op: 'empty' }] },
    { name: 'risks_score_total', where: [NOT_CLOSED_RISK, { key: 'score', op: 'present' }], sum: 'score' },
    {
      name: 'risks_without_measures',
      where: [isIn('status', ['OPEN', 'IN_TREATMENT']), { key: 'measures', op: 'empty' }],
    },
    { name: 'risks_review_overdue', days: startsAfter('review_due') },
    { name: 'risk_acceptances_expired', days: startsAfter('accepted_until') },
  ],
  VENDOR: [
    { name: 'vendors' },
    ...byState('vendors', VENDOR_STATUSES),
    { name: 'vendors_active', where: [NOT_OFFBOARDED_VENDOR] },
    {
      name: 'vendors_high_or_critical',
      where: [NOT_OFFBOARDED_VENDOR, isIn('criticality', ['HIGH', 'CRITICAL'])],
    },
    { name: 'vendors_review_overdue', where: [NOT_OFFBOARDED_VENDOR], days: startsAfter('review_due') },
    { name: 'vendors_never_reviewed', where: [NOT_OFFBOARDED_VENDOR, { key: 'last_reviewed', op: 'empty' }] },
  ],
  FRAMEWORK: [{ name: 'frameworks' }],
  CONTROL: [
    { name: 'controls' },
    ...byState('controls', CONTROL_STATUSES),
    ...IMPLEMENTATIONS.map((implementation) => ({
      name: `controls_${implementation.toLowerCase()}`,
      where: [INCLUDED_CONTROL, equals('implementation', implementation)],
    })),
  ],
  MEASURE: [
    { name: 'measures' },
    // The stored key is the state's rank in the workflow.
    ...MEASURE_STATES.map((state, rank) => ({
      name: `measures_${state.toLowerCase()}`,
      where: [equals('state', rank)],
    })),
    { name: 'measures_overdue', days: startsAfter('open_until') },
    {
      name: 'measures_without_evidence',
      where: [equals('state', MEASURE_STATES.indexOf('IMPLEMENTED'))],
      days: startsAfter('evidence_until'),
    },
  ],
  OBLIGATION: [
    { name: 'obligations' },
    ...byState('obligations', COMPLIANCE),
    { name: 'obligations_overdue', days: startsAfter('unmet_until') },
  ],
  NONCONFORMITY: [
    { name: 'nonconformities' },
    { name: 'nonconformities_open', where: [OPEN_NONCONFORMITY] },
    ...byState('nonconformities', ['CLOSED']),
    ...SEVERITIES.map((severity) => ({
      name: `nonconformities_${severity.toLowerCase()}`,
      where: [OPEN_NONCONFORMITY, equals('severity', severity)],
    })),
    { name: 'nonconformities_without_severity', where: [OPEN_NONCONFORMITY, { key: 'severity', op: 'empty' }] },
    { name: 'nonconformities_overdue', days: startsAfter('open_until') },
  ],
  AUDIT: [{ name: 'audits' }, ...byState('audits', AUDIT_STATES, 'state')],
  EVIDENCE: [
    { name: 'evidence' },
    { name: 'evidence_expired', days: startsAfter('ends') },
    { name: 'evidence_expiring_in_30_days', days: { key: 'ends', from: -30, until: 1 } },
  ],
};

/** Counts each due item that is past its date. A record may count several times: a risk for review and acceptance. */
function overdueFigures({ dueItems = [] }: FamilyDescription): FigureDefinition[] {
  return dueItems.map(({ date, key = date, filter = {} }) => ({
    name: 'overdue',
    where: Object.entries(filter).map(([name, values]) => isIn(name, values)),
    days: startsAfter(key),
  }));
}

/** The figures of each family, and the figure `overdue` of all. */
export const FIGURE_DEFINITIONS: Readonly<Record<string, readonly FigureDefinition[]>> = Object.fromEntries(
  FAMILY_DESCRIPTIONS.map((family) => [family.type, [...OWN_FIGURES[family.type], ...overdueFigures(family)]]),
);

/** Returns a figure of a family. @throws TypeError if it has none of this name */
export function figureDefinition(type: string, name: string): FigureDefinition {
  const definition = FIGURE_DEFINITIONS[type]?.find((candidate) => candidate.name === name);
  if (definition === undefined) throw new TypeError(`${type} has no figure ${name}`);
  return definition;
}

/** Returns the conditions on the records that count on a day. */
export function figureConditions({ where = [], days }: FigureDefinition, today: string): Condition[] {
  if (days === undefined) return [...where];
  const { key, from, until } = days;
  const started: Condition = { key, op: 'range', lte: addDays(today, -from) };
  return [...where, until === undefined ? started : { ...started, gt: addDays(today, -until) }];
}

/** The family whose figures are also counted for each framework. */
export const FAMILY_WITH_FRAMEWORK_FIGURES = 'CONTROL';
