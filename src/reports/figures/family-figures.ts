import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import { MEASURE_STATES } from '../../register/measure.ts';
import type { FamilyFigures, FigureHead } from './figure-values.ts';

/* The wording of each family's figures, in the order of its reports. Labels and descriptions may change. */

/** Returns `Partially compliant` for PARTIALLY_COMPLIANT. */
const stateWords = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns one figure for each state. */
function byState(plural: string, states: readonly string[]): FigureHead[] {
  return states.map((state) => ({
    name: `${plural}_${state.toLowerCase()}`,
    label: stateWords(state),
    counts: `${plural} that are ${state}`,
  }));
}

export const RISK_FIGURES: FamilyFigures = {
  type: 'RISK',
  group: 'Risks',
  groupBy: ['status', 'score'],
  figures: [
    { name: 'risks', label: 'All risks', counts: 'risks, including closed ones' },
    ...byState('risks', ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED']),
    { name: 'risks_not_closed', label: 'Not closed', counts: 'risks that are not CLOSED' },
    ...(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const).map((priorityName) => ({
      name: `risks_${priorityName.toLowerCase()}`,
      label: `Not closed, ${stateWords(priorityName).toLowerCase()}`,
      counts: `risks not closed, with priority ${priorityName}`,
    })),
    {
      name: 'risks_without_score',
      label: 'Not closed, not rated',
      counts: 'risks not closed and without a score; they have no priority and no cell in the matrix',
    },
    {
      name: 'risks_without_measures',
      label: 'Without a measure',
      counts: 'OPEN or IN_TREATMENT risks without a linked measure',
    },
    {
      name: 'risks_review_overdue',
      label: 'Review overdue',
      counts: 'risks not closed whose next review was due before today',
    },
    {
      name: 'risk_acceptances_expired',
      label: 'Acceptance expired',
      counts: 'ACCEPTED risks whose acceptance ended before today',
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
    },
    {
      name: 'vendors_high_or_critical',
      label: 'Not offboarded, high or critical',
      counts: 'vendors not offboarded, with criticality HIGH or CRITICAL',
    },
    {
      name: 'vendors_review_overdue',
      label: 'Review overdue',
      counts: 'vendors not offboarded whose next review was due before today',
    },
    {
      name: 'vendors_never_reviewed',
      label: 'Never reviewed',
      counts: 'vendors not offboarded that were never reviewed',
    },
  ],
};

const MEASURE_FIGURES: FamilyFigures = {
  type: 'MEASURE',
  group: 'Measures',
  groupBy: ['state'],
  figures: [
    { name: 'measures', label: 'All measures', counts: 'measures' },
    ...byState('measures', MEASURE_STATES),
    {
      name: 'measures_overdue',
      label: 'Overdue',
      counts: 'measures due before today that are neither IMPLEMENTED nor NOT_APPLICABLE',
    },
    {
      name: 'measures_without_evidence',
      label: 'Implemented, without valid evidence',
      counts: 'IMPLEMENTED measures without linked evidence that is valid today',
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
    },
    ...byState('nonconformities', ['CLOSED']),
    ...(['MAJOR', 'MINOR', 'OBSERVATION'] as const).map((severityName) => ({
      name: `nonconformities_${severityName.toLowerCase()}`,
      label: `Not closed, ${stateWords(severityName).toLowerCase()}`,
      counts: `nonconformities not closed, with severity ${severityName}`,
    })),
    {
      name: 'nonconformities_without_severity',
      label: 'Not closed, without severity',
      counts: 'nonconformities not closed and without a severity',
    },
    {
      name: 'nonconformities_overdue',
      label: 'Overdue',
      counts: 'nonconformities not closed and due before today',
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
    },
  ],
};

const FIGURES_BY_FAMILY: Readonly<Record<FamilyName, FamilyFigures>> = {
  RISK: RISK_FIGURES,
  VENDOR: VENDOR_FIGURES,
  FRAMEWORK: FRAMEWORK_FIGURES,
  CONTROL: CONTROL_FIGURES,
  MEASURE: MEASURE_FIGURES,
  OBLIGATION: OBLIGATION_FIGURES,
  NONCONFORMITY: NONCONFORMITY_FIGURES,
  AUDIT: AUDIT_FIGURES,
  EVIDENCE: EVIDENCE_FIGURES,
};

/** All figures in the order of the posture report. */
export const ALL_FIGURES: readonly FamilyFigures[] = FAMILY_DESCRIPTIONS.map(({ type }) => FIGURES_BY_FAMILY[type]);
