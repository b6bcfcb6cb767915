import { priorityOf } from '../../commands/risk.ts';
import { MEASURE_STATES, type MeasureProgress } from '../../register/measure.ts';
import type { Scalar } from '../../stores/read-store.ts';
import type { CountFigure, FamilyFigures } from './figure-values.ts';

/*
 * The figures of each family. A figure's name is permanent: digests of earlier reports contain it. A changed definition
 * needs a new name. Labels and descriptions may change.
 */

type Value = Scalar | null;

const isNotClosed = (status: Value) => status !== 'CLOSED';
const isNotOffboarded = (status: Value) => status !== 'OFFBOARDED';
const priority = (score: Value) => priorityOf(score as number | null);

/** Returns `Partially compliant` for PARTIALLY_COMPLIANT. */
const stateWords = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns one figure for each state. It counts the records whose first key is that state. */
function byState(plural: string, states: readonly string[], keyOf: (state: string) => Scalar = String): CountFigure[] {
  return states.map((state) => ({
    name: `${plural}_${state.toLowerCase()}`,
    label: stateWords(state),
    counts: `${plural} that are ${state}`,
    matches: (key) => key === keyOf(state),
  }));
}

export const RISK_FIGURES: FamilyFigures = {
  type: 'RISK',
  group: 'Risks',
  groupBy: ['status', 'score'],
  figures: [
    { name: 'risks', label: 'All risks', counts: 'risks, including closed ones' },
    ...byState('risks', ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED']),
    { name: 'risks_not_closed', label: 'Not closed', counts: 'risks that are not CLOSED', matches: isNotClosed },
    ...(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const).map((priorityName) => ({
      name: `risks_${priorityName.toLowerCase()}`,
      label: `Not closed, ${stateWords(priorityName).toLowerCase()}`,
      counts: `risks not closed, with priority ${priorityName}`,
      matches: (status: Value, score: Value) => isNotClosed(status) && priority(score) === priorityName,
    })),
    {
      name: 'risks_without_score',
      label: 'Not closed, not rated',
      counts: 'risks not closed and without a score; they have no priority and no cell in the matrix',
      matches: (status, score) => isNotClosed(status) && score === null,
    },
    {
      name: 'risks_without_measures',
      label: 'Without a measure',
      counts: 'OPEN or IN_TREATMENT risks without a linked measure',
      filter: { status: ['OPEN', 'IN_TREATMENT'], missing: ['MEASURES'] },
    },
    {
      name: 'risks_review_overdue',
      label: 'Review overdue',
      counts: 'risks not closed whose next review was due before today',
      filter: { overdue: true },
    },
    {
      name: 'risk_acceptances_expired',
      label: 'Acceptance expired',
      counts: 'ACCEPTED risks whose acceptance ended before today',
      filter: { acceptance_expired: true },
    },
  ],
};

export const VENDOR_FIGURES: FamilyFigures = {
  type: 'VENDOR',
  group: 'Vendors',
  groupBy: ['status', 'criticality'],
  figures: [
    { name: 'vendors', label: 'All vendors', counts: 'vendors, including offboarded ones' },
    ...byState('vendors', ['PENDING_REVIEW', 'APPROVED', 'CONDITIONAL', 'REJECTED', 'SUSPENDED', 'OFFBOARDED']),
    {
      name: 'vendors_active',
      label: 'Not offboarded',
      counts: 'vendors that are not OFFBOARDED',
      matches: isNotOffboarded,
    },
    {
      name: 'vendors_high_or_critical',
      label: 'Not offboarded, high or critical',
      counts: 'vendors not offboarded, with criticality HIGH or CRITICAL',
      matches: (status, criticality) =>
        isNotOffboarded(status) && (criticality === 'HIGH' || criticality === 'CRITICAL'),
    },
    {
      name: 'vendors_review_overdue',
      label: 'Review overdue',
      counts: 'vendors not offboarded whose next review was due before today',
      filter: { review_overdue: true },
    },
    {
      name: 'vendors_never_reviewed',
      label: 'Never reviewed',
      counts: 'vendors not offboarded that were never reviewed',
      filter: { never_reviewed: true },
    },
  ],
};

const MEASURE_FIGURES: FamilyFigures = {
  type: 'MEASURE',
  group: 'Measures',
  groupBy: ['state'],
  figures: [
    { name: 'measures', label: 'All measures', counts: 'measures' },
    ...byState('measures', MEASURE_STATES, (state) => MEASURE_STATES.indexOf(state as MeasureProgress)),
    {
      name: 'measures_overdue',
      label: 'Overdue',
      counts: 'measures due before today that are neither IMPLEMENTED nor NOT_APPLICABLE',
      filter: { overdue: true },
    },
    {
      name: 'measures_without_evidence',
      label: 'Implemented, without valid evidence',
      counts: 'IMPLEMENTED measures without linked evidence that is valid today',
      filter: { state: ['IMPLEMENTED'], missing: ['EVIDENCE'] },
    },
  ],
};

const CONTROLS_GROUP = 'Frameworks and controls';

const FRAMEWORK_FIGURES: FamilyFigures = {
  type: 'FRAMEWORK',
  group: CONTROLS_GROUP,
  groupBy: [],
  figures: [{ name: 'frameworks', label: 'Frameworks adopted', counts: 'adopted frameworks' }],
};

const isIncluded = (status: Value) => status === 'INCLUDED';
const IMPLEMENTATION_WORDS = {
  FULL: 'fully implemented',
  PARTIAL: 'partly implemented',
  STARTED: 'started',
  NONE: 'not started',
};

export const CONTROL_FIGURES: FamilyFigures = {
  type: 'CONTROL',
  group: CONTROLS_GROUP,
  groupBy: ['status', 'implementation'],
  figures: [
    { name: 'controls', label: 'All controls', counts: 'controls' },
    ...byState('controls', ['INCLUDED', 'EXCLUDED']),
    ...Object.entries(IMPLEMENTATION_WORDS).map(([implementationName, words]) => ({
      name: `controls_${implementationName.toLowerCase()}`,
      label: `Included, ${words}`,
      counts: `INCLUDED controls with implementation ${implementationName}`,
      matches: (status: Value, implementation: Value) => isIncluded(status) && implementation === implementationName,
    })),
    {
      name: 'coverage',
      label: 'Coverage',
      counts:
        'share of the INCLUDED controls that are fully implemented: all their applicable measures are IMPLEMENTED',
      share: ['controls_full', 'controls_included'],
    },
  ],
};

const AUDIT_FIGURES: FamilyFigures = {
  type: 'AUDIT',
  group: 'Audits',
  groupBy: ['state'],
  figures: [
    { name: 'audits', label: 'All audits', counts: 'audits' },
    ...byState('audits', ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED']),
  ],
};

export const OBLIGATION_FIGURES: FamilyFigures = {
  type: 'OBLIGATION',
  group: 'Obligations',
  groupBy: ['status'],
  figures: [
    { name: 'obligations', label: 'All obligations', counts: 'obligations' },
    ...byState('obligations', ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT']),
    {
      name: 'obligations_overdue',
      label: 'Overdue',
      counts: 'obligations past due and either not COMPLIANT or not reviewed in the preceding year',
      filter: { overdue: true },
    },
  ],
};

export const NONCONFORMITY_FIGURES: FamilyFigures = {
  type: 'NONCONFORMITY',
  group: 'Nonconformities',
  groupBy: ['status', 'severity'],
  figures: [
    { name: 'nonconformities', label: 'All nonconformities', counts: 'nonconformities, including closed ones' },
    {
      name: 'nonconformities_open',
      label: 'Not closed',
      counts: 'nonconformities that are not CLOSED',
      matches: isNotClosed,
    },
    ...byState('nonconformities', ['CLOSED']),
    ...(['MAJOR', 'MINOR', 'OBSERVATION'] as const).map((severityName) => ({
      name: `nonconformities_${severityName.toLowerCase()}`,
      label: `Not closed, ${stateWords(severityName).toLowerCase()}`,
      counts: `nonconformities not closed, with severity ${severityName}`,
      matches: (status: Value, severity: Value) => isNotClosed(status) && severity === severityName,
    })),
    {
      name: 'nonconformities_without_severity',
      label: 'Not closed, without severity',
      counts: 'nonconformities not closed and without a severity',
      matches: (status, severity) => isNotClosed(status) && severity === null,
    },
    {
      name: 'nonconformities_overdue',
      label: 'Overdue',
      counts: 'nonconformities not closed and due before today',
      filter: { overdue: true },
    },
  ],
};

const EVIDENCE_FIGURES: FamilyFigures = {
  type: 'EVIDENCE',
  group: 'Evidence',
  groupBy: [],
  figures: [
    { name: 'evidence', label: 'All evidence', counts: 'pieces of evidence' },
    {
      name: 'evidence_expired',
      label: 'Expired',
      counts: 'pieces of evidence whose validity ended before today',
      filter: { expired: true },
    },
  ],
};

/** All figures in the order of the posture report. */
export const ALL_FIGURES: readonly FamilyFigures[] = [
  RISK_FIGURES,
  VENDOR_FIGURES,
  FRAMEWORK_FIGURES,
  CONTROL_FIGURES,
  MEASURE_FIGURES,
  OBLIGATION_FIGURES,
  NONCONFORMITY_FIGURES,
  AUDIT_FIGURES,
  EVIDENCE_FIGURES,
];
