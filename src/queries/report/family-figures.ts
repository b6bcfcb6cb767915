import { MEASURE_STATES, type MeasureProgress } from '../../commands/measure.ts';
import { priorityOf } from '../../commands/risk.ts';
import type { Scalar } from '../../stores/read-store.ts';
import type { FamilyFigures } from './figures.ts';

/*
 * What each family is counted by. A name stands for its meaning for good: digests of old reports hold both, so a figure
 * that is to count something else gets another name.
 */

type Value = Scalar | null;

const isOpenRisk = (status: Value) => status !== 'CLOSED';
const priority = (score: Value) => priorityOf(score as number | null);
const isStatus = (status: string) => (key: Value) => key === status;
const isState = (state: MeasureProgress) => (key: Value) => key === MEASURE_STATES.indexOf(state);

export const RISK_FIGURES: FamilyFigures = {
  type: 'RISK',
  by: ['status', 'score'],
  figures: [
    { name: 'risks', counts: 'risks, closed ones too' },
    { name: 'risks_open', counts: 'risks that are OPEN', when: isStatus('OPEN') },
    { name: 'risks_in_treatment', counts: 'risks that are IN_TREATMENT', when: isStatus('IN_TREATMENT') },
    { name: 'risks_accepted', counts: 'risks that are ACCEPTED', when: isStatus('ACCEPTED') },
    { name: 'risks_closed', counts: 'risks that are CLOSED', when: isStatus('CLOSED') },
    ...(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const).map((wanted) => ({
      name: `risks_${wanted.toLowerCase()}`,
      counts: `risks not closed, of priority ${wanted}`,
      when: (status: Value, score: Value) => isOpenRisk(status) && priority(score) === wanted,
    })),
    {
      name: 'risks_without_score',
      counts: 'risks not closed, without a score',
      when: (status, score) => isOpenRisk(status) && score === null,
    },
    {
      name: 'risks_without_measures',
      counts: 'risks OPEN or IN_TREATMENT, without a measure',
      filter: { status: ['OPEN', 'IN_TREATMENT'], missing: ['MEASURES'] },
    },
    {
      name: 'risks_review_overdue',
      counts: 'risks not closed, whose next review is overdue',
      filter: { overdue: true },
    },
    {
      name: 'risk_acceptances_expired',
      counts: 'risks ACCEPTED, whose acceptance has run out',
      filter: { acceptance_expired: true },
    },
  ],
};

export const VENDOR_FIGURES: FamilyFigures = {
  type: 'VENDOR',
  by: ['status', 'criticality'],
  figures: [
    { name: 'vendors', counts: 'vendors that have not left', when: (status) => status !== 'OFFBOARDED' },
    { name: 'vendors_pending_review', counts: 'vendors that are PENDING_REVIEW', when: isStatus('PENDING_REVIEW') },
    { name: 'vendors_approved', counts: 'vendors that are APPROVED', when: isStatus('APPROVED') },
    { name: 'vendors_conditional', counts: 'vendors that are CONDITIONAL', when: isStatus('CONDITIONAL') },
    { name: 'vendors_rejected', counts: 'vendors that are REJECTED', when: isStatus('REJECTED') },
    { name: 'vendors_suspended', counts: 'vendors that are SUSPENDED', when: isStatus('SUSPENDED') },
    { name: 'vendors_offboarded', counts: 'vendors that are OFFBOARDED', when: isStatus('OFFBOARDED') },
    {
      name: 'vendors_critical',
      counts: 'vendors that have not left, of criticality HIGH or CRITICAL',
      when: (status, criticality) => status !== 'OFFBOARDED' && (criticality === 'HIGH' || criticality === 'CRITICAL'),
    },
    {
      name: 'vendors_review_overdue',
      counts: 'vendors that have not left, whose next review is overdue',
      filter: { review_overdue: true },
    },
    {
      name: 'vendors_never_reviewed',
      counts: 'vendors that have not left and were never reviewed',
      filter: { never_reviewed: true },
    },
  ],
};

export const MEASURE_FIGURES: FamilyFigures = {
  type: 'MEASURE',
  by: ['state'],
  figures: [
    { name: 'measures', counts: 'measures' },
    { name: 'measures_not_started', counts: 'measures that are NOT_STARTED', when: isState('NOT_STARTED') },
    { name: 'measures_in_progress', counts: 'measures that are IN_PROGRESS', when: isState('IN_PROGRESS') },
    { name: 'measures_implemented', counts: 'measures that are IMPLEMENTED', when: isState('IMPLEMENTED') },
    { name: 'measures_not_applicable', counts: 'measures that are NOT_APPLICABLE', when: isState('NOT_APPLICABLE') },
    { name: 'measures_overdue', counts: 'measures to be done that are overdue', filter: { overdue: true } },
    {
      name: 'measures_without_evidence',
      counts: 'measures IMPLEMENTED, without evidence that is valid',
      filter: { state: ['IMPLEMENTED'], missing: ['EVIDENCE'] },
    },
  ],
};

export const FRAMEWORK_FIGURES: FamilyFigures = {
  type: 'FRAMEWORK',
  by: [],
  figures: [{ name: 'frameworks', counts: 'frameworks that are adopted' }],
};

const included = isStatus('INCLUDED');

export const CONTROL_FIGURES: FamilyFigures = {
  type: 'CONTROL',
  by: ['status', 'implementation'],
  figures: [
    { name: 'controls', counts: 'controls' },
    { name: 'controls_included', counts: 'controls that are INCLUDED', when: included },
    { name: 'controls_excluded', counts: 'controls that are EXCLUDED', when: isStatus('EXCLUDED') },
    ...(['FULL', 'PARTIAL', 'NONE'] as const).map((wanted) => ({
      name: `controls_${wanted.toLowerCase()}`,
      counts: `controls INCLUDED, of implementation ${wanted}`,
      when: (status: Value, implementation: Value) => included(status) && implementation === wanted,
    })),
    {
      name: 'coverage',
      counts: 'share of the controls INCLUDED that are of implementation FULL',
      share: ['controls_full', 'controls_included'],
    },
  ],
};

export const AUDIT_FIGURES: FamilyFigures = {
  type: 'AUDIT',
  by: ['state'],
  figures: [
    { name: 'audits_not_started', counts: 'audits that are NOT_STARTED', when: isStatus('NOT_STARTED') },
    { name: 'audits_in_progress', counts: 'audits that are IN_PROGRESS', when: isStatus('IN_PROGRESS') },
    { name: 'audits_completed', counts: 'audits that are COMPLETED', when: isStatus('COMPLETED') },
  ],
};

export const OBLIGATION_FIGURES: FamilyFigures = {
  type: 'OBLIGATION',
  by: ['status'],
  figures: [
    { name: 'obligations', counts: 'obligations' },
    { name: 'obligations_not_assessed', counts: 'obligations that are NOT_ASSESSED', when: isStatus('NOT_ASSESSED') },
    {
      name: 'obligations_non_compliant',
      counts: 'obligations that are NON_COMPLIANT',
      when: isStatus('NON_COMPLIANT'),
    },
    {
      name: 'obligations_partially_compliant',
      counts: 'obligations that are PARTIALLY_COMPLIANT',
      when: isStatus('PARTIALLY_COMPLIANT'),
    },
    { name: 'obligations_compliant', counts: 'obligations that are COMPLIANT', when: isStatus('COMPLIANT') },
    { name: 'obligations_overdue', counts: 'obligations that are overdue', filter: { overdue: true } },
  ],
};

const isOpenFinding = (status: Value) => status !== 'CLOSED';

export const NONCONFORMITY_FIGURES: FamilyFigures = {
  type: 'NONCONFORMITY',
  by: ['status', 'severity'],
  figures: [
    { name: 'nonconformities_open', counts: 'nonconformities that are not CLOSED', when: isOpenFinding },
    { name: 'nonconformities_closed', counts: 'nonconformities that are CLOSED', when: isStatus('CLOSED') },
    ...(['MAJOR', 'MINOR', 'OBSERVATION'] as const).map((wanted) => ({
      name: `nonconformities_${wanted.toLowerCase()}`,
      counts: `nonconformities not CLOSED, of severity ${wanted}`,
      when: (status: Value, severity: Value) => isOpenFinding(status) && severity === wanted,
    })),
    {
      name: 'nonconformities_overdue',
      counts: 'nonconformities not CLOSED that are overdue',
      filter: { overdue: true },
    },
  ],
};

export const EVIDENCE_FIGURES: FamilyFigures = {
  type: 'EVIDENCE',
  by: [],
  figures: [
    { name: 'evidence', counts: 'pieces of evidence' },
    { name: 'evidence_expired', counts: 'pieces of evidence that are no longer valid', filter: { expired: true } },
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
