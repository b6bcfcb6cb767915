import { z } from 'zod';
import { Refusal } from '../commands/refusal.ts';
import type { DownloadDetails } from '../queries/access-log-row.ts';
import { getReport } from '../queries/report/report.ts';
import { ANSWER_FORMAT_NAMES } from '../queries/report/report-type.ts';
import { REPORT_TYPES } from '../queries/report/report-types.ts';
import { defineTool, type ToolService } from './define-tool.ts';
import * as field from './fields.ts';
import { readInput } from './input.ts';
import { reportOutput } from './report-output.ts';
import type { Tool } from './tool.ts';

/** What the reference says of an input that its name tells a model. */
const describedInReference = <T extends z.ZodType>(input: T, text: string): T =>
  field.withoutDescription(input.describe(text));

const inputSchema = z.strictObject({
  organization_id: field.organizationId(),
  type: z.enum(REPORT_TYPES),
  framework_id: describedInReference(
    field.id('frm').optional(),
    'of STATEMENT_OF_APPLICABILITY, where more than one is adopted',
  ),
  audit_id: describedInReference(field.id('aud').optional(), 'of AUDIT_PACK: it has to be completed'),
  owner_id: describedInReference(
    field.account().optional(),
    'records of this owner; not of AUDIT_PACK and CHANGES_BETWEEN',
  ),
  until: describedInReference(field.date().optional(), 'of DUE_ITEMS: 30 days ahead unless given'),
  from: describedInReference(
    z.string().optional(),
    'of CHANGES_BETWEEN, which needs it: a moment as as_of has it, inclusive',
  ),
  to: describedInReference(
    z.string().optional(),
    'of CHANGES_BETWEEN: until then, inclusive; the report’s moment unless given',
  ),
  as_of: z.string().optional(),
  format: z.enum(ANSWER_FORMAT_NAMES).default('MARKDOWN'),
  cursor: z.string().optional(),
});

/** The tool's input, for whoever else draws reports. @throws Refusal invalid_input */
export const readReportInput = (input: object): z.infer<typeof inputSchema> => readInput(inputSchema, input);

/** The report tool. */
export function reportTools(service: ToolService): Tool[] {
  return [
    defineTool({
      name: 'getReport',
      description:
        'A report with its figures, now or as_of, in MARKDOWN unless format says otherwise. To search, use a list.',
      input: inputSchema,
      output: reportOutput,
      example: { organization_id: '{organization}', type: 'RISK_REGISTER' },
      run: (input, { caller, progress, signal }) => {
        const drawn = (report: DownloadDetails) => service.reportGenerated(caller, report);
        return getReport(service.reader, caller, input, drawn, (records) => {
          if (signal?.aborted)
            throw new Refusal('unavailable', 'Nobody waits for this report any more: ask for it again.');
          progress?.(records, undefined, `${records} records read`);
        });
      },
    }),
  ];
}
