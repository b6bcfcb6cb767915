import { nonconformityQuery } from '../nonconformities.ts';
import { obligationQuery } from '../obligations.ts';
import { vendorQuery } from '../vendors.ts';
import { recordsThen } from './beside.ts';
import { column, detail, ID, OWNER, prose, REFERENCE } from './columns.ts';
import { NONCONFORMITY_FIGURES, OBLIGATION_FIGURES, VENDOR_FIGURES } from './family-figures.ts';
import { type FamilyFigures, familyFigures } from './figures.ts';
import { type RecordsSection, recordsSection } from './records-section.ts';
import type { Column, ReportContext, ReportType, Row } from './report-type.ts';

/* Reports that are one family's register. */

/** A report that is a family's figures and its records. */
function registerReport(title: string, figures: FamilyFigures, records: RecordsSection): ReportType {
  return {
    title,
    takes: ['owner_id'],
    draw: async (context) => ({
      inputs: {},
      figures: () => familyFigures(context, [figures]),
      sections: [recordsSection(context, records)],
    }),
  };
}

/** Whether the next review of a vendor that has not left is overdue. */
async function reviewOverdue({ moment }: ReportContext, documents: readonly Row[]): Promise<Row[]> {
  return documents.map(({ status, next_review_due: due }) => ({
    review_overdue: status !== 'OFFBOARDED' && typeof due === 'string' && due < moment.today,
  }));
}

export const vendors = registerReport('Vendors', VENDOR_FIGURES, {
  name: 'vendors',
  title: 'Vendors',
  family: vendorQuery,
  note: 'All vendors, offboarded ones too.',
  more: reviewOverdue,
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
    { field: 'review.reviewed_by', title: 'Reviewed by', detail: true, person: true, at: 'review.reviewed_at' },
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

export const obligations = registerReport('Obligations', OBLIGATION_FIGURES, {
  name: 'obligations',
  title: 'Obligations',
  family: obligationQuery,
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

export const NONCONFORMITY_COLUMNS: readonly Column[] = [
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

/** What the audits are called that found them, archived ones too. */
export async function auditNames(context: ReportContext, found: readonly Row[]): Promise<Row[]> {
  const ids = [...new Set(found.flatMap(({ audit_id }) => (audit_id ? [String(audit_id)] : [])))];
  const audits = new Map((await recordsThen(context, 'AUDIT', ids)).map(({ id, name }) => [id, name]));
  return found.map(({ audit_id }) => ({ audit_name: audits.get(audit_id) }));
}

export const nonconformities = registerReport('Nonconformities', NONCONFORMITY_FIGURES, {
  name: 'nonconformities',
  title: 'Nonconformities',
  family: nonconformityQuery,
  columns: NONCONFORMITY_COLUMNS,
  more: auditNames,
});
