import { MEASURE_STATES, type MeasureProgress } from '../../commands/measure.ts';
import { priorityOf } from '../../commands/risk.ts';
import type { Scalar } from '../../stores/read-store.ts';
import type { Counted, FamilyFigures } from './figures.ts';

/*
 * What each family is counted by. A name stands for its meaning for good: digests of old reports hold both, so a figure
 * that is to count something else gets another name.
 */

type Value = Scalar | null;

const isNotClosed = (status: Value) => status !== 'CLOSED';
const isHere = (status: Value) => status !== 'OFFBOARDED';
const priority = (score: Value) => priorityOf(score as number | null);

/** `Partially compliant` of PARTIALLY_COMPLIANT. */
const inWords = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** One figure a state, of records whose first key is it. */
function byState(plural: string, states: readonly string[], keyOf: (state: string) => Scalar = String): Counted[] {
  return states.map((state) => ({
    name: `${plural}_${state.toLowerCase()}`,
    label: inWords(state),
    counts: `${plural} that are ${state}`,
    when: (key) => key === keyOf(state),
  }));
}

export const RISK_FIGURES: FamilyFigures = {
  type: 'RISK',
  group: 'Risks',
  by: ['status', 'score'],
  figures: [
    { name: 'risks', label: 'All risks', counts: 'risks, closed ones too' },
    ...byState('risks', ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED']),
    { name: 'risks_not_closed', label: 'Not closed', counts: 'risks that are not CLOSED', when: isNotClosed },
    ...(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const).map((wanted) => ({
      name: `risks_${wanted.toLowerCase()}`,
      label: `Not closed, ${inWords(wanted).toLowerCase()}`,
      counts: `risks not closed, of priority ${wanted}`,
      when: (status: Value, score: Value) => isNotClosed(status) && priority(score) === wanted,
    })),
    {
      name: 'risks_without_score',
      label: 'Not closed, not rated',
      counts: 'risks not closed, without a score: they are of no priority, and in no cell of the matrix',
      when: (status, score) => isNotClosed(status) && score === null,
    },
    {
      name: 'risks_without_measures',
      label: 'Without a measure',
      counts: 'risks OPEN or IN_TREATMENT that no measure is linked to',
      filter: { status: ['OPEN', 'IN_TREATMENT'], missing: ['MEASURES'] },
    },
    {
      name: 'risks_review_overdue',
      label: 'Review overdue',
      counts: 'risks not closed, whose next review was due before today',
      filter: { overdue: true },
    },
    {
      name: 'risk_acceptances_expired',
      label: 'Acceptance expired',
      counts: 'risks ACCEPTED, whose acceptance ended before today',
      filter: { acceptance_expired: true },
    },
  ],
};

export const VENDOR_FIGURES: FamilyFigures = {
  type: 'VENDOR',
  group: 'Vendors',
  by: ['status', 'criticality'],
  figures: [
    { name: 'vendors', label: 'All vendors', counts: 'vendors, offboarded ones too' },
    ...byState('vendors', ['PENDING_REVIEW', 'APPROVED', 'CONDITIONAL', 'REJECTED', 'SUSPENDED', 'OFFBOARDED']),
    { name: 'vendors_active', label: 'Not offboarded', counts: 'vendors that are not OFFBOARDED', when: isHere },
    {
      name: 'vendors_high_or_critical',
      label: 'Not offboarded, high or critical',
      counts: 'vendors not offboarded, of criticality HIGH or CRITICAL',
      when: (status, criticality) => isHere(status) && (criticality === 'HIGH' || criticality === 'CRITICAL'),
    },
    {
      name: 'vendors_review_overdue',
      label: 'Review overdue',
      counts: 'vendors not offboarded, whose next review was due before today',
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
  by: ['state'],
  figures: [
    { name: 'measures', label: 'All measures', counts: 'measures' },
    ...byState('measures', MEASURE_STATES, (state) => MEASURE_STATES.indexOf(state as MeasureProgress)),
    {
      name: 'measures_overdue',
      label: 'Overdue',
      counts: 'measures neither IMPLEMENTED nor NOT_APPLICABLE that were due before today',
      filter: { overdue: true },
    },
    {
      name: 'measures_without_evidence',
      label: 'Implemented, without valid evidence',
      counts: 'measures IMPLEMENTED that no evidence is linked to which is valid today',
      filter: { state: ['IMPLEMENTED'], missing: ['EVIDENCE'] },
    },
  ],
};

const CONTROLS = 'Frameworks and controls';

const FRAMEWORK_FIGURES: FamilyFigures = {
  type: 'FRAMEWORK',
  group: CONTROLS,
  by: [],
  figures: [{ name: 'frameworks', label: 'Frameworks adopted', counts: 'frameworks that are adopted' }],
};

const isIncluded = (status: Value) => status === 'INCLUDED';
const HOW_FAR = {
  FULL: 'fully implemented',
  PARTIAL: 'partly implemented',
  STARTED: 'started',
  NONE: 'not started',
};

export const CONTROL_FIGURES: FamilyFigures = {
  type: 'CONTROL',
  group: CONTROLS,
  by: ['status', 'implementation'],
  figures: [
    { name: 'controls', label: 'All controls', counts: 'controls' },
    ...byState('controls', ['INCLUDED', 'EXCLUDED']),
    ...Object.entries(HOW_FAR).map(([wanted, words]) => ({
      name: `controls_${wanted.toLowerCase()}`,
      label: `Included, ${words}`,
      counts: `controls INCLUDED, of implementation ${wanted}`,
      when: (status: Value, implementation: Value) => isIncluded(status) && implementation === wanted,
    })),
    {
      name: 'coverage',
      label: 'Coverage',
      counts:
        'share of the controls INCLUDED that are fully implemented: all their measures that count are IMPLEMENTED',
      share: ['controls_full', 'controls_included'],
    },
  ],
};

const AUDIT_FIGURES: FamilyFigures = {
  type: 'AUDIT',
  group: 'Audits',
  by: ['state'],
  figures: [
    { name: 'audits', label: 'All audits', counts: 'audits' },
    ...byState('audits', ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED']),
  ],
};

export const OBLIGATION_FIGURES: FamilyFigures = {
  type: 'OBLIGATION',
  group: 'Obligations',
  by: ['status'],
  figures: [
    { name: 'obligations', label: 'All obligations', counts: 'obligations' },
    ...byState('obligations', ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT']),
    {
      name: 'obligations_overdue',
      label: 'Overdue',
      counts: 'obligations due before today that were not found met: not COMPLIANT, or not reviewed in the year before',
      filter: { overdue: true },
    },
  ],
};

export const NONCONFORMITY_FIGURES: FamilyFigures = {
  type: 'NONCONFORMITY',
  group: 'Nonconformities',
  by: ['status', 'severity'],
  figures: [
    { name: 'nonconformities', label: 'All nonconformities', counts: 'nonconformities, closed ones too' },
    {
      name: 'nonconformities_open',
      label: 'Not closed',
      counts: 'nonconformities that are not CLOSED',
      when: isNotClosed,
    },
    ...byState('nonconformities', ['CLOSED']),
    ...(['MAJOR', 'MINOR', 'OBSERVATION'] as const).map((wanted) => ({
      name: `nonconformities_${wanted.toLowerCase()}`,
      label: `Not closed, ${inWords(wanted).toLowerCase()}`,
      counts: `nonconformities not closed, of severity ${wanted}`,
      when: (status: Value, severity: Value) => isNotClosed(status) && severity === wanted,
    })),
    {
      name: 'nonconformities_without_severity',
      label: 'Not closed, without severity',
      counts: 'nonconformities not closed, of no severity yet',
      when: (status, severity) => isNotClosed(status) && severity === null,
    },
    {
      name: 'nonconformities_overdue',
      label: 'Overdue',
      counts: 'nonconformities not closed that were due before today',
      filter: { overdue: true },
    },
  ],
};

const EVIDENCE_FIGURES: FamilyFigures = {
  type: 'EVIDENCE',
  group: 'Evidence',
  by: [],
  figures: [
    { name: 'evidence', label: 'All evidence', counts: 'pieces of evidence' },
    {
      name: 'evidence_expired',
      label: 'Expired',
      counts: 'pieces of evidence that were valid until a day before today',
      filter: { expired: true },
    },
  ],
};

/** All of them, in the order of a posture report. */
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
