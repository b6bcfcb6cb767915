import { z } from 'zod';
import type { DownloadDetails } from '../queries/files/download-details.ts';
import { EVIDENCE } from '../register/evidence.ts';
import { REPORT_TYPES } from '../reports/all-reports.ts';
import { getReport } from '../reports/report.ts';
import { ANSWER_FORMAT_NAMES, GROUPINGS } from '../reports/report-type.ts';
import { REPORT_DUE_KINDS } from '../reports/sections/due-rows.ts';
import { pageOfReport } from './answer-page.ts';
import { RECORD_TYPES } from './schema/changes-schema.ts';
import { listFilter } from './schema/family-schema.ts';
import * as field from './schema/fields.ts';
import { reportOutput } from './schema/report-output.ts';
import { defineTool } from './tool.ts';

/** Describes an input in the reference only. Models don't need it: the name says enough. */
const describedInReference = <T extends z.ZodType>(input: T, text: string): T =>
  field.withoutDescription(input.describe(text));

/**
 * MONTH, the only trend. A text, not an enum: a client that sends every property would send an enum's first value, but it leaves
 * a text empty.
 */
const trendInterval = () => z.string().refine((value) => value === 'MONTH', 'must be MONTH');

/** A text, as `trendInterval`. */
const onlyTrend = () => z.string().refine((value) => value === 'TREND', 'must be TREND');

/** A text, as `trendInterval`. */
const groupBy = () =>
  z.string().refine((value) => GROUPINGS.some((grouping) => grouping === value), `must be ${GROUPINGS.join(' or ')}`);

function evidenceFilter() {
  const filters: Readonly<Record<string, z.ZodType>> = listFilter(EVIDENCE).shape;
  return z.strictObject({
    kind: field.withoutEnum(filters.kind!),
    valid_until_before: filters.valid_until_before!,
    // Not published, because the report takes owner_id as others do.
    owner_id: filters.owner_id!.meta({ unpublished: true }),
    linked_to: filters.linked_to!,
    query: filters.query!,
  });
}

const inputSchema = () =>
  z.strictObject({
    organization_id: field.impliedOrganizationId(),
    type: z.enum(REPORT_TYPES),
    framework_id: describedInReference(
      field.recordId('frm').optional(),
      'STATEMENT_OF_APPLICABILITY: required if several frameworks are adopted',
    ),
    audit_id: describedInReference(field.recordId('aud').optional(), 'AUDIT_PACK, required: a completed audit'),
    owner_id: describedInReference(
      field.owner().optional(),
      'only records of this owner at the report’s moment; not for AUDIT_PACK',
    ),
    until: describedInReference(field.date().optional(), 'DUE_ITEMS: 30 days ahead by default'),
    from: describedInReference(
      z.string().optional(),
      'CHANGES_BETWEEN, required, and UNAPPROVED_DECISIONS: inclusive, in any form that as_of takes; DUE_ITEMS: a date, by default everything overdue too',
    ),
    to: describedInReference(
      z.string().optional(),
      'CHANGES_BETWEEN, UNAPPROVED_DECISIONS: inclusive, by default the report’s moment',
    ),
    trend: trendInterval().optional().describe('POSTURE: MONTH, up to 36'),
    trend_figures: z.string().optional().describe('up to 6, with commas'),
    only: onlyTrend().optional().describe('TREND'),
    kinds: describedInReference(
      field.commaList(REPORT_DUE_KINDS.map(({ name }) => name)).optional(),
      'DUE_ITEMS: only these; also a text with commas',
    ),
    record_types: describedInReference(
      field.commaList(RECORD_TYPES).optional(),
      'CHANGES_BETWEEN: only changes of these records; also a text with commas',
    ),
    group_by: groupBy().optional().describe('OWNER; NONCONFORMITIES: SEVERITY or OWNER'),
    filter: describedInReference(evidenceFilter(), 'EVIDENCE: only what matches all of these').optional(),
    // Not published: only auditors with an old digest need it. The reference describes it.
    report_version: z.enum(['1']).optional().meta({ unpublished: true }),
    as_of: z.string().optional(),
    format: z.enum(ANSWER_FORMAT_NAMES).default('MARKDOWN'),
    cursor: z.string().optional(),
  });

/** Returns a Markdown report as text. Its last lines have the answer's members that the report itself doesn't show. */
function markdownText({ format }: { format: string }, answer: object): string | null {
  if (format !== 'MARKDOWN') return null;
  const { report, ...around } = answer as ReportAnswer;
  const { content, position, digest, whole } = report;
  const { organization_id, url, next_cursor } = around;
  const lines = Object.entries({ whole, organization_id, url, position, digest, next_cursor });
  return `${content}\n${lines.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\n`)).join('')}`;
}

interface ReportAnswer {
  report: { title: string; content: string; position: string; digest: string; whole?: string };
  organization_id?: string;
  url?: string;
  next_cursor?: string;
}

export const reportTool = defineTool({
  name: 'getReport',
  title: 'Generate a report',
  permission: 'readRecords',
  description:
    'Make tables, figures, documents, now or as_of. Posture (summary, trend by months), accepted risks (who, until), due and overdue items (whose), list of vendors and their data. Statement of applicability, findings’ days to closure, audit pack, what changed since, expired evidence (filter), decisions nobody approved.',
  input: inputSchema,
  output: reportOutput,
  example: { organization_id: '{organization}', type: 'RISK_REGISTER' },
  load: () => 'LONG',
  run: (input, { service, caller, progress, signal }) => {
    const onGenerated = (report: DownloadDetails) => service.reportGenerated(caller, report);
    const recordsRead = (records: number) =>
      progress?.(records, undefined, `${records} ${records === 1 ? 'record' : 'records'} read`);
    return getReport(service.reader, caller, input, { onGenerated, progress: recordsRead, signal });
  },
  text: markdownText,
  page: pageOfReport,
});
