import { familyQueryOfType } from '../../queries/family-query.ts';
import { RISK } from '../../register/risk.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { linkedTo } from './linked-records.ts';
import { pickFields, readInBatches, recordsAt, recordsSection } from './records.ts';
import { column, familyColumns, ID, OWNER, REFERENCE } from './report-columns.ts';

const NOT_CLOSED = { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'] };

const RISK_COLUMNS: readonly ReportColumn[] = familyColumns(RISK, [
  'reference_id',
  'name',
  'status',
  'treatment',
  'id',
]);
const RESIDUAL_SCORE = column('residual_score', 'Expected residual score');

const PLAN_COLUMNS: readonly ReportColumn[] = [
  ...RISK_COLUMNS,
  { ...REFERENCE, field: 'measure.reference_id', title: 'Measure' },
  column('measure.name', 'Title'),
  { ...OWNER, field: 'measure.owner_id', title: 'Owner of the measure' },
  column('measure.state', 'Status'),
  column('measure.due_date', 'Due'),
  column('measure.overdue', 'Overdue'),
  ...familyColumns(RISK, ['inherent_score']),
  RESIDUAL_SCORE,
  { ...OWNER, title: 'Owner of the risk' },
  { field: 'measure.id', title: 'Measure id', kind: 'TECHNICAL' },
];

const ACCEPTANCE_COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(RISK, ['reference_id', 'name', 'status', 'treatment']),
  RESIDUAL_SCORE,
  ...familyColumns(RISK, ['owner_id', 'acceptance.approver_id', 'acceptance.until']),
  { field: 'to_sign', title: 'To sign: name, date', kind: 'TO_SIGN' },
  ID,
];

/** Returns the plan: each risk that is not closed with its measures, one row for each. */
export function treatmentPlan(context: ReportContext): ReportSection {
  return {
    name: 'treatment_plan',
    title: 'Risk treatment plan',
    note: 'Risks that are not closed, with their measures. A risk without measures has one row. Archived measures are left out.',
    columns: PLAN_COLUMNS,
    group: RISK_COLUMNS,
    rows: () => planRows(context),
  };
}

async function* planRows(context: ReportContext): AsyncGenerator<ReportRow> {
  const family = familyQueryOfType('RISK');
  const { field: key, direction } = family.defaultOrder;
  for await (const batch of readInBatches(context, recordsAt(context, family, NOT_CLOSED), { key, direction })) {
    const risks = batch.map(({ doc }) => doc);
    const ids = risks.map(({ id }) => String(id));
    const measures = await linkedTo(context, ids, ['MEASURE']);
    for (const risk of risks) {
      const fields = [...RISK_COLUMNS.map(({ field }) => field), 'inherent_score', 'residual_score', 'owner_id'];
      const row = pickFields(risk, fields);
      const linked = measures.get(String(risk.id)) ?? [];
      if (linked.length === 0) yield row;
      for (const measure of linked) yield { ...row, measure: measureItem(context, measure) };
    }
  }
}

function measureItem({ moment }: ReportContext, measure: ReportRow): ReportRow {
  const { overdue } = familyQueryOfType('MEASURE').dayFacts(measure, moment.today);
  const fields = ['id', 'reference_id', 'name', 'state', 'due_date', 'overdue', 'owner_id'];
  return pickFields(measure, fields, { overdue });
}

/** Returns the acceptance of each risk that is not closed. Where none is in force, documents have a line to sign on. */
export function residualRisks(context: ReportContext): ReportSection {
  return recordsSection(context, {
    name: 'residual_risks',
    title: 'Acceptance of residual risks',
    note: 'Risks that are not closed. Where the register has no acceptance in force, there is a line to sign on.',
    family: familyQueryOfType('RISK'),
    filter: NOT_CLOSED,
    columns: ACCEPTANCE_COLUMNS,
    addFields: async ({ moment }, risks) =>
      risks.map(({ acceptance }) => ({ to_sign: !isInForce(acceptance, moment.today) })),
  });
}

function isInForce(acceptance: unknown, today: string): boolean {
  const { until } = (acceptance ?? {}) as { until?: unknown };
  return typeof until === 'string' && until >= today;
}
