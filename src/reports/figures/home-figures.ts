import { FIGURE_DEFINITIONS } from '../../projections/figures/figure-definitions.ts';
import type { FamilyName } from '../../register/families.ts';
import { equals, type FigureDefinition, isIn, startsAfter } from '../../register/figure.ts';
import { DUE_KINDS } from '../sections/due-rows.ts';

/** A count of one family's records. */
export interface FigurePart {
  type: FamilyName;
  definition: FigureDefinition;
  /** Names the records that it counts, if the figure has several parts. */
  label: string;
}

/** A number that pages show: the sum of its parts. */
export interface SummedFigure {
  name: string;
  label: string;
  /** The direction that is good news. Null if neither is. */
  better: 'FEWER' | 'MORE' | null;
  parts: readonly FigurePart[];
}

/** The numbers of Home. A comparison shows them too, so both count alike. */
export const HOME_FIGURES = {
  overdue: { name: 'overdue', label: 'Overdue', better: 'FEWER', parts: DUE_KINDS.map(overduePart) },
  criticalRisks: singleFigure('Risks scored 15 or more', 'RISK', 'risks_critical', 'FEWER'),
  uncoveredControls: {
    name: 'controls_without_working_measure',
    label: 'Controls without a working measure',
    better: 'FEWER',
    parts: [
      {
        type: 'CONTROL',
        definition: {
          name: 'controls_without_working_measure',
          where: [equals('status', 'INCLUDED'), isIn('implementation', ['NONE', 'STARTED'])],
        },
        label: 'Controls',
      },
    ],
  },
  // It also falls when evidence expires without being renewed.
  expiringEvidence: singleFigure('Evidence expiring in 30 days', 'EVIDENCE', 'evidence_expiring_in_30_days', null),
  openFindings: singleFigure('Open findings', 'NONCONFORMITY', 'nonconformities_open', 'FEWER'),
  vendorsPastReview: singleFigure('Vendors past review', 'VENDOR', 'vendors_review_overdue', 'FEWER'),
} as const satisfies Readonly<Record<string, SummedFigure>>;

/** Returns the figure with one count that a family's description defines. */
export function singleFigure(
  label: string,
  type: FamilyName,
  name: string,
  better: SummedFigure['better'],
): SummedFigure {
  const definition = FIGURE_DEFINITIONS[type]!.find((candidate) => candidate.name === name)!;
  return { name, label, better, parts: [{ type, definition, label }] };
}

/** Counts the items of a kind that are past their date. A record with two such dates is in two parts. */
function overduePart({
  name,
  label,
  overdueLabel = label,
  type,
  date,
  key = date,
  filter = {},
}: (typeof DUE_KINDS)[number]): FigurePart {
  const where = Object.entries(filter).map(([field, values]) => isIn(field, values));
  const definition = { name: `overdue_${name.toLowerCase()}`, where, days: startsAfter(key) };
  return { type, definition, label: overdueLabel };
}
