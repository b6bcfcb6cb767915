import type { FamilyName } from '../../register/families.ts';
import { HOME_FIGURES, type SummedFigure, singleFigure } from '../figures/home-figures.ts';

const FURTHER_FIGURES: readonly (readonly [label: string, type: FamilyName, name: string])[] = [
  ['All risks', 'RISK', 'risks'],
  ['Risks not closed', 'RISK', 'risks_not_closed'],
  ['Risk acceptances expired', 'RISK', 'risk_acceptances_expired'],
  ['Vendors not offboarded', 'VENDOR', 'vendors_active'],
  ['Controls fully implemented', 'CONTROL', 'controls_full'],
  ['Measures overdue', 'MEASURE', 'measures_overdue'],
  ['Obligations overdue', 'OBLIGATION', 'obligations_overdue'],
  ['All evidence', 'EVIDENCE', 'evidence'],
  ['Evidence expired', 'EVIDENCE', 'evidence_expired'],
];

/** The figures that a comparison shows: the numbers of Home, then further ones. */
export const COMPARED_FIGURES: readonly SummedFigure[] = [
  ...Object.values(HOME_FIGURES),
  ...FURTHER_FIGURES.map(([label, type, name]) => singleFigure(label, type, name)),
];
