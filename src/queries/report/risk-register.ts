import { priorityOf, type RiskRatings } from '../../commands/risk.ts';
import { riskQuery } from '../risks.ts';
import { RISK_FIGURES } from './family-figures.ts';
import { figuresOf, valuesOf } from './figures.ts';
import type { Column, ReportContext, ReportType, Row, Section } from './report-type.ts';
import { onDay, recordsAt, rowOf, walk } from './walk.ts';

const RATINGS = [5, 4, 3, 2, 1];
const ORDER = { key: 'score', direction: 'DESC' } as const;

const COLUMNS: readonly Column[] = [
  { field: 'reference_id', title: 'Reference' },
  { field: 'name', title: 'Risk' },
  { field: 'description', title: 'Description', prose: true },
  { field: 'category', title: 'Category' },
  { field: 'status', title: 'Status' },
  { field: 'score', title: 'Score' },
  { field: 'priority', title: 'Priority' },
  { field: 'inherent_likelihood', title: 'Inherent likelihood', detail: true },
  { field: 'inherent_impact', title: 'Inherent impact', detail: true },
  { field: 'inherent_score', title: 'Inherent score' },
  { field: 'residual_likelihood', title: 'Residual likelihood', detail: true },
  { field: 'residual_impact', title: 'Residual impact', detail: true },
  { field: 'residual_score', title: 'Residual score' },
  { field: 'last_assessed_at', title: 'Assessed', detail: true },
  { field: 'treatment', title: 'Treatment' },
  { field: 'measure_count', title: 'Measures' },
  { field: 'acceptance.until', title: 'Accepted until' },
  { field: 'acceptance.expired', title: 'Acceptance expired', detail: true },
  { field: 'acceptance.approver_id', title: 'Approved by', detail: true, person: true },
  { field: 'acceptance.reason', title: 'Accepted because', detail: true },
  { field: 'next_review_due', title: 'Next review' },
  { field: 'overdue', title: 'Overdue' },
  { field: 'note', title: 'Note', prose: true, detail: true },
  { field: 'owner_id', title: 'Owner', person: true },
  { field: 'id', title: 'Id' },
];

const FIELDS = [...new Set(COLUMNS.map(({ field }) => field.split('.', 1)[0]!))];

export const riskRegister: ReportType = {
  title: 'Risk register',
  takes: ['owner_id'],
  draw: async (context) => ({
    inputs: {},
    figures: figuresOf([RISK_FIGURES], await valuesOf(context, [RISK_FIGURES])),
    sections: [matrix(context), { name: 'risks', title: 'Risks', columns: COLUMNS, rows: () => risks(context) }],
  }),
};

async function* risks(context: ReportContext): AsyncGenerator<Row> {
  const { today } = context.moment;
  for await (const batch of walk(context, recordsAt(context, riskQuery), ORDER)) {
    for (const document of batch) {
      const due = document.status === 'CLOSED' ? null : (document.next_review_due as string | null);
      yield rowOf({ ...onDay(riskQuery, document, today), overdue: due !== null && due < today }, FIELDS);
    }
  }
}

/** How many risks that are not closed stand at each likelihood and impact, by the ratings that count. */
function matrix(context: ReportContext): Section {
  const columns = ['likelihood', 'impact', 'priority', 'risks'].map((field) => ({
    field,
    title: `${field[0]!.toUpperCase()}${field.slice(1)}`,
  }));
  const grid = ['likelihood', 'impact', 'risks'] as const;
  return { name: 'matrix', title: 'Risk matrix', columns, grid, rows: () => matrixRows(context) };
}

async function* matrixRows(context: ReportContext): AsyncGenerator<Row> {
  const counts = new Map<string, number>();
  const scored = recordsAt(context, riskQuery, { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'], min_score: 1 });
  for await (const batch of walk(context, scored, ORDER)) {
    for (const document of batch) {
      const place = ratingsThatCount(document as unknown as RiskRatings).join();
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  for (const likelihood of RATINGS) {
    for (const impact of RATINGS.toReversed()) {
      const priority = priorityOf(likelihood * impact);
      yield { likelihood, impact, priority, risks: counts.get([likelihood, impact].join()) ?? 0 };
    }
  }
}

/** Likelihood and impact behind the score: the residual ones once both are assessed. */
function ratingsThatCount(risk: RiskRatings): [number | null, number | null] {
  const { residual_likelihood, residual_impact, inherent_likelihood, inherent_impact } = risk;
  const assessed = residual_likelihood !== null && residual_impact !== null;
  return assessed ? [residual_likelihood, residual_impact] : [inherent_likelihood, inherent_impact];
}
