import { familyQueryOfType } from '../../queries/family-query.ts';
import type { FamilyDescription } from '../../register/field.ts';
import { NONCONFORMITY } from '../../register/nonconformity.ts';
import { OBLIGATION } from '../../register/obligation.ts';
import { VENDOR } from '../../register/vendor.ts';
import { figuresOfFamilies } from '../figures/figure-values.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportType } from '../report-type.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { type RecordsSectionOptions, recordsSection, reviewOverdueUnless } from '../sections/records.ts';
import { column, familyColumns } from '../sections/report-columns.ts';

/* Reports that list the records of one family. */

/** Defines a report with a family's figures and records. */
function registerReport(
  description: FamilyDescription,
  options: Pick<RecordsSectionOptions, 'note' | 'columns' | 'addFields'>,
): ReportType {
  const { type, plural: name, figures } = description;
  const records = { ...options, name, title: figures.group, family: familyQueryOfType(type) };
  return {
    title: figures.group,
    acceptedInputs: ['owner_id'],
    collect: async (context) => ({
      inputs: {},
      figures: () => figuresOfFamilies(context, [description]),
      sections: [recordsSection(context, records)],
    }),
  };
}

export const vendorsReport = registerReport(VENDOR, {
  note: 'All vendors, including offboarded ones.',
  addFields: reviewOverdueUnless('OFFBOARDED'),
  columns: [
    ...familyColumns(VENDOR, [
      'name',
      'description',
      'status',
      'criticality',
      'category',
      'country',
      'processes_personal_data',
      'data_shared',
      'last_reviewed',
      'review.outcome',
      'review.reviewed_by',
      'review.findings',
      'review.conditions',
      'next_review_due',
    ]),
    column('review_overdue', 'Review overdue'),
    ...familyColumns(VENDOR, ['contract_until', 'website_url', 'owner_id', 'id']),
  ],
});

export const obligationsReport = registerReport(OBLIGATION, {
  columns: familyColumns(OBLIGATION, [
    'requirement',
    'area',
    'source',
    'regulator',
    'status',
    'due_date',
    'overdue',
    'last_review_date',
    'actions_to_be_implemented',
    'owner_id',
    'id',
  ]),
});

export const NONCONFORMITY_COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(NONCONFORMITY, [
    'reference_id',
    'description',
    'severity',
    'status',
    'date_identified',
    'due_date',
    'overdue',
    'root_cause',
    'corrective_action',
    'effectiveness_check',
    'closed_at',
  ]),
  column('audit_name', 'Audit'),
  ...familyColumns(NONCONFORMITY, ['audit_id', 'owner_id', 'id']),
];

/** Returns the names of the audits that raised these nonconformities, archived audits included. */
export async function namesOfAudits(context: ReportContext, findings: readonly ReportRow[]): Promise<ReportRow[]> {
  const ids = [...new Set(findings.flatMap(({ audit_id }) => (audit_id ? [String(audit_id)] : [])))];
  const audits = new Map((await recordsAtMoment(context, 'AUDIT', ids)).map(({ id, name }) => [id, name]));
  return findings.map(({ audit_id }) => ({ audit_name: audits.get(audit_id) }));
}

export const nonconformitiesReport = registerReport(NONCONFORMITY, {
  columns: NONCONFORMITY_COLUMNS,
  addFields: namesOfAudits,
});
