import { figureConditions } from '../../projections/figures/figure-definitions.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import { type CountFigure, listedFigures } from '../../register/figure.ts';
import type { ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { recordsAt } from '../sections/records.ts';
import { OWNER } from '../sections/report-columns.ts';

/** Names of the figures that say how much work an owner has, and how much of it is late. */
const OWNER_FIGURES: readonly string[] = [
  ...['risks_not_closed', 'risks_review_overdue', 'vendors_active', 'vendors_review_overdue', 'controls_included'],
  ...['measures', 'measures_overdue', 'obligations', 'obligations_overdue', 'nonconformities_open'],
  ...['nonconformities_overdue', 'evidence', 'evidence_expired'],
];

interface OwnerFigure {
  type: string;
  group: string;
  figure: CountFigure;
}

const FIGURES: readonly OwnerFigure[] = FAMILY_DESCRIPTIONS.flatMap((family) =>
  listedFigures(family).flatMap((figure) =>
    'share' in figure || !OWNER_FIGURES.includes(figure.name)
      ? []
      : [{ type: family.type, group: family.figures.group, figure }],
  ),
);

/** Returns the section with these figures of each owner, in the order of their ids. The row without an owner comes last. */
export function figuresByOwnerSection(context: ReportContext): ReportSection {
  return {
    name: 'by_owner',
    title: 'By owner',
    note: 'Only owners of records. The row without an owner counts the records that nobody owns.',
    columns: [
      OWNER,
      ...FIGURES.map(({ group, figure }) => ({ field: figure.name, title: `${group}: ${figure.label}` })),
    ],
    rows: () => ownerRows(context),
  };
}

async function* ownerRows(context: ReportContext): AsyncGenerator<ReportRow> {
  const { snapshot, moment } = context;
  const countsByOwner = new Map<string | null, Record<string, number>>();
  for (const { type, figure } of FIGURES) {
    const source = recordsAt(context, familyQueryOfType(type));
    const where = [...figureConditions(figure, moment.today), ...source.where];
    for (const { values, total } of await snapshot.models.count({ ...source, where }, ['owner_id'])) {
      const owner = values[0] as string | null;
      countsByOwner.set(owner, { ...countsByOwner.get(owner), [figure.name]: total });
    }
  }
  const zeros = Object.fromEntries(FIGURES.map(({ figure }) => [figure.name, 0]));
  const owners = [...countsByOwner.keys()].filter((owner) => owner !== null).sort();
  for (const owner of owners) yield { owner_id: owner, ...zeros, ...countsByOwner.get(owner) };
  const unowned = countsByOwner.get(null);
  if (unowned !== undefined) yield { ...zeros, ...unowned };
}
