import { familyQueryOfType } from '../../queries/family-query.ts';
import { NONCONFORMITY } from '../../register/nonconformity.ts';
import { figuresOfFamilies } from '../figures/figure-values.ts';
import type { Grouping, ReportColumn, ReportContext, ReportRow, ReportType } from '../report-type.ts';
import { closureSection, daysToClosure } from '../sections/closures.ts';
import { versionOf } from '../sections/first-version.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { recordsSection } from '../sections/records.ts';
import { column, familyColumns, withBelow } from '../sections/report-columns.ts';

const ANALYSIS = ['root_cause', 'corrective_action', 'effectiveness_check'];

export const NONCONFORMITY_COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(NONCONFORMITY, [
    'reference_id',
    'description',
    'severity',
    'status',
    'date_identified',
    'due_date',
    'overdue',
  ]),
  ...withBelow(familyColumns(NONCONFORMITY, ANALYSIS), ANALYSIS),
  ...familyColumns(NONCONFORMITY, ['closed_at']),
  { ...column('audit_name', 'Audit'), isBelow: true },
  ...familyColumns(NONCONFORMITY, ['audit_id', 'owner_id', 'id']),
];

/** Returns the names of the audits that raised these nonconformities, archived audits included. */
export async function namesOfAudits(context: ReportContext, findings: readonly ReportRow[]): Promise<ReportRow[]> {
  const ids = [...new Set(findings.flatMap(({ audit_id }) => (audit_id ? [String(audit_id)] : [])))];
  const audits = new Map((await recordsAtMoment(context, 'AUDIT', ids)).map(({ id, name }) => [id, name]));
  return findings.map(({ audit_id }) => ({ audit_name: audits.get(audit_id) }));
}

export const nonconformitiesReport: ReportType = {
  title: NONCONFORMITY.figures.group,
  acceptedInputs: ['owner_id', 'group_by', 'report_version'],
  groupings: ['SEVERITY', 'OWNER'],
  collect: async (context) => {
    const { group_by } = context.inputs;
    const records = {
      name: NONCONFORMITY.plural,
      title: NONCONFORMITY.figures.group,
      family: familyQueryOfType('NONCONFORMITY'),
    };
    const figures = () => figuresOfFamilies(context, [NONCONFORMITY]);
    if (group_by === undefined) {
      const note = 'Grouped by severity or by owner, this report also has the days to closure.';
      const options = { ...records, note, columns: NONCONFORMITY_COLUMNS, addFields: namesOfAudits };
      return { ...versionOf(context), inputs: {}, figures, sections: [recordsSection(context, options)] };
    }
    const columns = [...NONCONFORMITY_COLUMNS, column('days_to_closure', 'Days to closure')];
    const withClosure = { ...records, columns, addFields: namesAndClosures };
    const sections = [closureSection(context, group_by as Grouping), recordsSection(context, withClosure)];
    return { ...versionOf(context), inputs: { group_by }, figures, sections };
  },
};

async function namesAndClosures(context: ReportContext, findings: readonly ReportRow[]): Promise<ReportRow[]> {
  const names = await namesOfAudits(context, findings);
  return findings.map((finding, index) => ({ ...names[index], days_to_closure: daysToClosure(context, finding) }));
}
