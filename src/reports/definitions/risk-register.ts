import { priorityOf } from '../../commands/risk.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { RISK } from '../../register/risk.ts';
import { figuresOfFamilies } from '../figures/figure-values.ts';
import { countRatings, riskTrend } from '../figures/risk-scores.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportSection, ReportType } from '../report-type.ts';
import { isFirstVersion } from '../sections/first-version.ts';
import { recordsSection, reviewOverdueUnless } from '../sections/records.ts';
import { column, familyColumns, withBelow } from '../sections/report-columns.ts';
import { residualRisks, treatmentPlan } from '../sections/treatment-plan.ts';

/** The rows of the matrix, from the top. */
const LIKELIHOODS = [5, 4, 3, 2, 1];
const IMPACTS = [1, 2, 3, 4, 5];

const MATRIX_NOTE = [
  'Rated risks that are not closed, by residual likelihood and impact; by the inherent ratings if a residual one is missing.',
  'Risks without a rating are not in the matrix. The figures count them.',
].join(' ');

const MATRIX_COLUMNS: readonly ReportColumn[] = [
  column('likelihood', 'Likelihood'),
  column('impact', 'Impact'),
  column('priority', 'Priority'),
  column('risks', 'Risks'),
];

const BELOW = ['description', 'category', 'inherent_score', 'residual_score', 'measure_count'];

const COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(RISK, [
    'reference_id',
    'name',
    'description',
    'category',
    'status',
    'score',
    'priority',
    'inherent_likelihood',
    'inherent_impact',
    'inherent_score',
    'residual_likelihood',
    'residual_impact',
    'residual_score',
    'last_assessed_at',
    'treatment',
    'measure_count',
    'acceptance.until',
    'acceptance.expired',
    'acceptance.approver_id',
    'acceptance.reason',
    'next_review_due',
  ]),
  column('review_overdue', 'Review overdue'),
  ...familyColumns(RISK, ['note', 'owner_id', 'id']),
];

const SIGN_OFF = ['Treatment plan approved by', 'Date', 'Signature'];

export const riskRegister: ReportType = {
  title: 'Risk register',
  acceptedInputs: ['owner_id', 'report_version'],
  collect: async (context) => ({
    ...(isFirstVersion(context) ? {} : { version: 2, signOff: SIGN_OFF }),
    inputs: {},
    figures: () => figuresOfFamilies(context, [RISK]),
    sections: [
      matrix(context),
      recordsSection(context, {
        name: 'risks',
        title: 'Risks',
        family: familyQueryOfType('RISK'),
        columns: withBelow(COLUMNS, BELOW),
        addFields: reviewOverdueUnless('CLOSED'),
      }),
      ...(isFirstVersion(context) ? [] : [treatmentPlan(context), residualRisks(context)]),
    ],
    trend: () => riskTrend(context),
  }),
};

function matrix(context: ReportContext): ReportSection {
  return {
    name: 'matrix',
    title: 'Risk matrix',
    note: MATRIX_NOTE,
    columns: MATRIX_COLUMNS,
    grid: ['likelihood', 'impact', 'risks'],
    plot: 'matrix',
    rows: () => matrixRows(context),
  };
}

async function* matrixRows(context: ReportContext): AsyncGenerator<ReportRow> {
  const { ratings: rated } = await countRatings(context);
  for (const likelihood of LIKELIHOODS) {
    for (const impact of IMPACTS) {
      const ratingOfCell = rated.find((rating) => rating.likelihood === likelihood && rating.impact === impact);
      yield { likelihood, impact, priority: priorityOf(likelihood * impact), risks: ratingOfCell?.risks ?? 0 };
    }
  }
}
