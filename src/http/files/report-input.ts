import { reportSegment } from '../../addresses/page-addresses.ts';
import { REPORT_TYPES, REPORTS, type ReportName } from '../../reports/all-reports.ts';
import type { ReportFileRequest } from '../../reports/report-request.ts';
import { reportTool } from '../../tools/report-tool.ts';
import { publishedFilters } from '../../tools/schema/json-schema.ts';
import { invalidInput } from '../http-errors.ts';
import { filledParameters, readFilter } from './file-query.ts';

/** The members of the input `filter`, and their types. In addresses each is a parameter of its own. */
const filters = () => publishedFilters(reportTool.input);

/** Returns the parameters of an address that a report's type takes: its inputs, and the filters in place of `filter`. */
export function reportParameters(type: ReportName): string[] {
  return REPORTS[type].acceptedInputs.flatMap((name) => (name === 'filter' ? Object.keys(filters()) : [name]));
}

/** Returns the report type of a path segment. @throws HttpError */
export function reportTypeOf(segment: string): ReportName {
  const type = REPORT_TYPES.find((candidate) => reportSegment(candidate) === reportSegment(segment));
  if (type !== undefined) return type;
  const allowed = REPORT_TYPES.map(reportSegment);
  throw invalidInput(`There is no such report. Use one of ${allowed.join(', ')}.`, { field: 'type', allowed });
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
  const names = REPORTS[type].acceptedInputs.includes('filter') ? ['filter', ...Object.keys(filters())] : [];
  const isFilter = ([name]: readonly [string, string]) => names.includes(name);
  const filled = [...filledParameters(query)];
  const filter = readFilter(new URLSearchParams(filled.filter(isFilter)), filters());
  const { format, ...parameters } = readQuery(new URLSearchParams(filled.filter((entry) => !isFilter(entry))));
  const {
    format: _,
    cursor: _none,
    ...input
  } = reportTool.parser.parse({
    organization_id: organizationId,
    type,
    ...parameters,
    ...(names.length > 0 ? { filter } : {}),
  });
  return { input, format };
}

/** Reads the query parameters that aren't filters. */
function readQuery(query: URLSearchParams): Record<string, string> {
  const input = new Map<string, string>();
  for (const [key, text] of query) {
    if (['organization_id', 'type', 'cursor'].includes(key)) {
      const message = `Remove ${key}. A file is always complete, and its path names the organization and the type.`;
      throw invalidInput(message, { field: key });
    }
    if (query.getAll(key).length > 1) throw invalidInput('A query parameter can be given only once.', { field: key });
    input.set(key, text);
  }
  return Object.fromEntries(input);
}
