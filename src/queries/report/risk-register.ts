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

const MATRIX = [
  'Rated risks that are not closed, each at its residual likelihood and impact where both are given, else at the inherent ones.',
  'Those that are not rated stand in no cell: the figures say how many they are.',
].join(' ');

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
  column('acceptance.expired', 'Acceptance expired'),
  {
    ...{ field: 'acceptance.approver_id', title: 'Accepted by', detail: true, person: true },
    at: 'acceptance.accepted_at',
  },
  { field: 'acceptance.reason', title: 'Accepted because', prose: true, detail: true },
  column('next_review_due', 'Next review'),
  column('review_overdue', 'Review overdue'),
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
      recordsSection(context, {
        name: 'risks',
        title: 'Risks',
        family: riskQuery,
        columns: COLUMNS,
        more: reviewOverdue,
      }),
    ],
    trend: () => riskTrend(context),
  }),
};

/** Whether the review of a risk that is not closed is overdue. */
async function reviewOverdue({ moment }: ReportContext, documents: readonly Row[]): Promise<Row[]> {
  return documents.map(({ status, next_review_due: due }) => ({
    review_overdue: status !== 'CLOSED' && typeof due === 'string' && due < moment.today,
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
  const about = { name: 'matrix', title: 'Risk matrix', note: MATRIX };
  return { ...about, columns, grid, plot: 'matrix', rows: () => matrixRows(context) };
}

async function* matrixRows(context: ReportContext): AsyncGenerator<Row> {
  const { rated } = await countRatings(context);
  for (const likelihood of LIKELIHOODS) {
    for (const impact of IMPACTS) {
      const found = rated.find((rating) => rating.likelihood === likelihood && rating.impact === impact);
      yield { likelihood, impact, priority: priorityOf(likelihood * impact), risks: found?.total ?? 0 };
    }
  }
}
