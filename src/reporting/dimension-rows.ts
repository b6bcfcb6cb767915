import { CHANGES_FIGURE } from '../projections/figures/daily-figures.ts';
import { FAMILY_DESCRIPTIONS } from '../register/families.ts';
import { listedFigures } from '../register/figure.ts';
import { RELATION_LABELS } from '../register/link.ts';
import type { Row } from '../stores/reporting-store.ts';
import { codeWords } from '../texts/words.ts';
import { enumsOf } from './family-tables.ts';
import { LINKS_TABLE } from './tables.ts';

/** Figures that no report lists, with their wording here. */
const UNLISTED: readonly Row[] = [
  { figure: CHANGES_FIGURE, family: null, label: 'Changes', meaning: 'changes since the beginning' },
  { figure: 'overdue', family: null, label: 'Overdue', meaning: 'items of due_items whose date is past' },
  {
    figure: 'evidence_expiring_in_30_days',
    family: 'EVIDENCE',
    label: 'Expiring soon',
    meaning: 'pieces of evidence whose validity ends within 30 days',
  },
  {
    figure: 'risks_score_total',
    family: 'RISK',
    label: 'Sum of scores',
    meaning: 'sum of the scores of risks that are not CLOSED',
  },
];

/** Returns the rows of `figures`. */
export function figureRows(): Row[] {
  const listed = FAMILY_DESCRIPTIONS.flatMap((family) =>
    listedFigures(family).map(({ name, label, meaning }) => ({ figure: name, family: family.type, label, meaning })),
  );
  return [...listed, ...UNLISTED];
}

/** Returns the rows of `enum_values`. */
export function enumRows(): Row[] {
  const ofFields = FAMILY_DESCRIPTIONS.flatMap((family) =>
    enumsOf(family).flatMap(({ column, field }) => enumColumn(family.plural, column, field.values, field.labels)),
  );
  return [...ofFields, ...enumColumn(LINKS_TABLE.name, 'relation', Object.keys(RELATION_LABELS), RELATION_LABELS)];
}

function enumColumn(
  table_name: string,
  column_name: string,
  values: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Row[] {
  return values.map((value, index) => ({
    table_name,
    column_name,
    value,
    sort_order: index + 1,
    label: labels[value] ?? codeWords(value),
  }));
}
