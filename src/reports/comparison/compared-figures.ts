import { HOME_FIGURES, type SummedFigure, singleFigure } from '../figures/home-figures.ts';

/** The figures that a comparison shows: the numbers of Home, then further ones. */
export const COMPARED_FIGURES: readonly SummedFigure[] = [
  ...Object.values(HOME_FIGURES),
  singleFigure('All risks', 'RISK', 'risks', null),
  singleFigure('Risks not closed', 'RISK', 'risks_not_closed', null),
  singleFigure('Risk acceptances expired', 'RISK', 'risk_acceptances_expired', 'FEWER'),
  singleFigure('Vendors not offboarded', 'VENDOR', 'vendors_active', null),
  singleFigure('Controls fully implemented', 'CONTROL', 'controls_full', 'MORE'),
  singleFigure('Measures overdue', 'MEASURE', 'measures_overdue', 'FEWER'),
  singleFigure('Obligations overdue', 'OBLIGATION', 'obligations_overdue', 'FEWER'),
  singleFigure('All evidence', 'EVIDENCE', 'evidence', null),
  singleFigure('Evidence expired', 'EVIDENCE', 'evidence_expired', 'FEWER'),
];
