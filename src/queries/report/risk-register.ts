import { priorityOf } from '../../commands/risk.ts';
import { riskQuery } from '../risks.ts';
import { column, detail, ID, OWNER, prose, REFERENCE } from './columns.ts';
import { RISK_FIGURES } from './family-figures.ts';
import { familyFigures } from './figures.ts';
import { recordsSection } from './records-section.ts';
import type { Column, ReportContext, ReportType, Row, Section } from './report-type.ts';
import { countRatings, riskTrend } from './risk-scores.ts';

/** Down and across the matrix. */
const LIKELIHOODS = [5, 4, 3, 2, 1];
const IMPACTS = [1, 2, 3, 4, 5];

const COLUMNS: readonly Column[] = [
  REFERENCE,
  column('name', 'Risk'),
  prose('description', 'Description'),
  column('category', 'Category'),
  column('status', 'Status'),
  column('score', 'Score'),
  column('priority', 'Priority'),
  detail('inherent_likelihood', 'Inherent likelihood'),
  detail('inherent_impact', 'Inherent impact'),
  column('inherent_score', 'Inherent score'),
  detail('residual_likelihood', 'Residual likelihood'),
  detail('residual_impact', 'Residual impact'),
  column('residual_score', 'Residual score'),
  detail('last_assessed_at', 'Assessed'),
  column('treatment', 'Treatment'),
  column('measure_count', 'Measures'),
  column('acceptance.until', 'Accepted until'),
  detail('acceptance.expired', 'Acceptance expired'),
  { field: 'acceptance.approver_id', title: 'Approved by', detail: true, person: true },
  detail('acceptance.reason', 'Accepted because'),
  column('next_review_due', 'Next review'),
  column('overdue', 'Overdue'),
  { field: 'note', title: 'Note', prose: true, detail: true },
  OWNER,
  ID,
];

export const riskRegister: ReportType = {
  title: 'Risk register',
  takes: ['owner_id'],
  draw: async (context) => ({
    inputs: {},
    figures: () => familyFigures(context, [RISK_FIGURES]),
    sections: [
      matrix(context),
      recordsSection(context, { name: 'risks', title: 'Risks', family: riskQuery, columns: COLUMNS, more: overdue }),
    ],
    trend: () => riskTrend(context),
  }),
};

/** Whether the review of a risk that is not closed is overdue. */
async function overdue({ moment }: ReportContext, documents: readonly Row[]): Promise<Row[]> {
  return documents.map(({ status, next_review_due: due }) => ({
    overdue: status !== 'CLOSED' && typeof due === 'string' && due < moment.today,
  }));
}

/** How many risks stand at each likelihood and impact. */
function matrix(context: ReportContext): Section {
  const columns = [
    column('likelihood', 'Likelihood'),
    column('impact', 'Impact'),
    column('priority', 'Priority'),
    column('risks', 'Risks'),
  ];
  const grid = ['likelihood', 'impact', 'risks'] as const;
  return { name: 'matrix', title: 'Risk matrix', columns, grid, plot: 'matrix', rows: () => matrixRows(context) };
}

async function* matrixRows(context: ReportContext): AsyncGenerator<Row> {
  const ratings = await countRatings(context);
  for (const likelihood of LIKELIHOODS) {
    for (const impact of IMPACTS) {
      const found = ratings.find((rating) => rating.likelihood === likelihood && rating.impact === impact);
      yield { likelihood, impact, priority: priorityOf(likelihood * impact), risks: found?.total ?? 0 };
    }
  }
}
