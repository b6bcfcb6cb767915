import { familyQueryOfType } from '../../queries/family-query.ts';
import { NONCONFORMITY_FIGURES, OBLIGATION_FIGURES, VENDOR_FIGURES } from '../figures/family-figures.ts';
import { type FamilyFigures, familyFigures } from '../figures/figure-values.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportType } from '../report-type.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { type RecordsSectionOptions, recordsSection } from '../sections/records-section.ts';
import { column, detail, ID, OWNER, prose, REFERENCE } from '../sections/report-columns.ts';

/* Reports that list the records of one family. */

/** Defines a report with a family's figures and records. */
function registerReport(title: string, figures: FamilyFigures, records: RecordsSectionOptions): ReportType {
  return {
    title,
    acceptedInputs: ['owner_id'],
    collect: async (context) => ({
      inputs: {},
      figures: () => familyFigures(context, [figures]),
      sections: [recordsSection(context, records)],
    }),
  };
}

/** Computes `review_overdue` for vendors. Offboarded ones are never overdue. */
async function reviewOverdue({ moment }: ReportContext, documents: readonly ReportRow[]): Promise<ReportRow[]> {
  return documents.map(({ status, next_review_due: due }) => ({
    review_overdue: status !== 'OFFBOARDED' && typeof due === 'string' && due < moment.today,
  }));
}

export const vendorsReport = registerReport('Vendors', VENDOR_FIGURES, {
  name: 'vendors',
  title: 'Vendors',
  family: familyQueryOfType('VENDOR'),
  note: 'All vendors, including offboarded ones.',
  addFields: reviewOverdue,
  columns: [
    column('name', 'Vendor'),
    prose('description', 'Service'),
    column('status', 'Status'),
    column('criticality', 'Criticality'),
    column('category', 'Category'),
    column('country', 'Country'),
    column('processes_personal_data', 'Personal data'),
    { field: 'data_shared', title: 'Data shared', prose: true, detail: true },
    column('last_reviewed', 'Reviewed'),
    detail('review.outcome', 'Review outcome'),
    { field: 'review.reviewed_by', title: 'Reviewed by', detail: true, person: true, timeField: 'review.reviewed_at' },
    { field: 'review.findings', title: 'Findings', prose: true, detail: true },
    prose('review.conditions', 'Conditions'),
    column('next_review_due', 'Next review'),
    column('review_overdue', 'Review overdue'),
    column('contract_until', 'Contract until'),
    detail('website_url', 'Website'),
    OWNER,
    ID,
  ],
});

export const obligationsReport = registerReport('Obligations', OBLIGATION_FIGURES, {
  name: 'obligations',
  title: 'Obligations',
  family: familyQueryOfType('OBLIGATION'),
  columns: [
    prose('requirement', 'Requirement'),
    column('area', 'Area'),
    column('source', 'Source'),
    column('regulator', 'Regulator'),
    column('status', 'Status'),
    column('due_date', 'Due'),
    column('overdue', 'Overdue'),
    column('last_review_date', 'Reviewed'),
    { field: 'actions_to_be_implemented', title: 'Actions', prose: true, detail: true },
    OWNER,
    ID,
  ],
});

export const NONCONFORMITY_COLUMNS: readonly ReportColumn[] = [
  REFERENCE,
  prose('description', 'Nonconformity'),
  column('severity', 'Severity'),
  column('status', 'Status'),
  column('date_identified', 'Identified'),
  column('due_date', 'Due'),
  column('overdue', 'Overdue'),
  prose('root_cause', 'Root cause'),
  prose('corrective_action', 'Corrective action'),
  { field: 'effectiveness_check', title: 'Effectiveness check', prose: true, detail: true },
  column('closed_at', 'Closed'),
  column('audit_name', 'Audit'),
  detail('audit_id', 'Audit id'),
  OWNER,
  ID,
];

/** Returns the names of the audits that raised these nonconformities, archived audits included. */
export async function namesOfAudits(context: ReportContext, findings: readonly ReportRow[]): Promise<ReportRow[]> {
  const ids = [...new Set(findings.flatMap(({ audit_id }) => (audit_id ? [String(audit_id)] : [])))];
  const audits = new Map((await recordsAtMoment(context, 'AUDIT', ids)).map(({ id, name }) => [id, name]));
  return findings.map(({ audit_id }) => ({ audit_name: audits.get(audit_id) }));
}

export const nonconformitiesReport = registerReport('Nonconformities', NONCONFORMITY_FIGURES, {
  name: 'nonconformities',
  title: 'Nonconformities',
  family: familyQueryOfType('NONCONFORMITY'),
  columns: NONCONFORMITY_COLUMNS,
  addFields: namesOfAudits,
});
