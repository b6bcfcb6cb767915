import { reportSegment } from '../../addresses/page-addresses.ts';
import { reportTool } from '../../mcp/tools/report-tool.ts';
import { REPORT_TYPES, type ReportName } from '../../reports/all-reports.ts';
import type { ReportFileRequest } from '../../reports/report-request.ts';
import { invalidInput } from '../http-errors.ts';

/** Returns the report type of a path segment. @throws HttpError */
export function reportTypeOf(segment: string): ReportName {
  const type = REPORT_TYPES.find((candidate) => reportSegment(candidate) === reportSegment(segment));
  if (type !== undefined) return type;
  throw invalidInput('There is no such report. Use one of those in allowed.', {
    field: 'type',
    allowed: REPORT_TYPES.map(reportSegment),
  });
}

/**
 * Reads a report's inputs and its file format from the query of an address. The parameters are the inputs of getReport.
 * @throws Refusal, HttpError
 */
export function readReportInput(
  organizationId: string,
  type: ReportName,
  query: URLSearchParams,
): { input: ReportFileRequest; format: string | undefined } {
  const { format, ...parameters } = readQuery(query);
  const {
    format: _,
    cursor: _none,
    ...input
  } = reportTool.parser.parse({ organization_id: organizationId, type, ...parameters });
  return { input, format };
}

/** Reads the query parameters. Forms send empty values for fields left out, so empty values are ignored. */
function readQuery(query: URLSearchParams): Record<string, string> {
  const input = new Map<string, string>();
  for (const [key, text] of query) {
    if (['organization_id', 'type', 'cursor'].includes(key)) {
      const message = `Remove ${key}. A file is always complete, and its path names the organization and the type.`;
      throw invalidInput(message, { field: key });
    }
    if (query.getAll(key).length > 1) throw invalidInput('A query parameter can be given only once.', { field: key });
    if (text !== '') input.set(key, text);
  }
  return Object.fromEntries(input);
}
