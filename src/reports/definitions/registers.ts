import { familyQueryOfType } from '../../queries/family-query.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { OBLIGATION } from '../../register/obligation.ts';
import { VENDOR } from '../../register/vendor.ts';
import { figuresOfFamilies } from '../figures/figure-values.ts';
import type { ReportColumn, ReportType } from '../report-type.ts';
import { versionOf } from '../sections/first-version.ts';
import { type RecordsSectionOptions, recordsSection, reviewOverdueUnless } from '../sections/records.ts';
import { column, familyColumns, withBelow } from '../sections/report-columns.ts';

/* Reports that list the records of one family. */

/** Defines a report with a family's figures and records. */
function registerReport(
  description: FamilyDescription,
  options: Pick<RecordsSectionOptions, 'note' | 'columns' | 'addFields'>,
  hasTwoVersions: boolean,
): ReportType {
  const { type, plural: name, figures } = description;
  const records = { ...options, name, title: figures.group, family: familyQueryOfType(type) };
  return {
    title: figures.group,
    acceptedInputs: hasTwoVersions ? ['owner_id', 'report_version'] : ['owner_id'],
    collect: async (context) => ({
      ...(hasTwoVersions ? versionOf(context) : {}),
      inputs: {},
      figures: () => figuresOfFamilies(context, [description]),
      sections: [recordsSection(context, records)],
    }),
  };
}

const VENDOR_COLUMNS: readonly ReportColumn[] = [
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
];

const VENDORS = {
  note: 'All vendors, including offboarded ones.',
  addFields: reviewOverdueUnless('OFFBOARDED'),
  columns: withBelow(VENDOR_COLUMNS, ['description', 'category', 'country', 'data_shared']),
};

export const vendorsReport = registerReport(VENDOR, VENDORS, true);

const OBLIGATION_COLUMNS = familyColumns(OBLIGATION, [
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
]);

export const obligationsReport = registerReport(OBLIGATION, { columns: OBLIGATION_COLUMNS }, false);
