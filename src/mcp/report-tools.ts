import { z } from 'zod';
import { Refusal } from '../commands/refusal.ts';
import type { DownloadDetails } from '../queries/access-log-row.ts';
import { getReport } from '../queries/report/report.ts';
import { REPORT_FORMATS } from '../queries/report/report-type.ts';
import { REPORT_TYPES } from '../queries/report/types.ts';
import * as field from './fields.ts';
import { readInput } from './input.ts';
import { reportOutput } from './report-output.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';

/** What the reference says of an input that its name tells a model. */
const said = <T extends z.ZodType>(input: T, text: string): T => field.unsaid(input.describe(text));

const INPUT = z.strictObject({
  organization_id: field.organizationId(),
  type: z.enum(REPORT_TYPES),
  framework_id: said(field.id('frm').optional(), 'of STATEMENT_OF_APPLICABILITY, where more than one is adopted'),
  audit_id: said(field.id('aud').optional(), 'of AUDIT_PACK: it has to be completed'),
  owner_id: said(field.account().optional(), 'records of this owner; not of AUDIT_PACK and CHANGES_BETWEEN'),
  until: said(field.date().optional(), 'of DUE_ITEMS: 30 days ahead unless given'),
  from: said(z.string().optional(), 'of CHANGES_BETWEEN, which needs it: a moment as as_of has it, inclusive'),
  to: said(z.string().optional(), 'of CHANGES_BETWEEN: until then, inclusive; the report’s moment unless given'),
  as_of: z.string().optional(),
  format: z.enum(REPORT_FORMATS).default('MARKDOWN'),
  cursor: z.string().optional(),
});

/** The tool's input, for whoever else draws reports. @throws Refusal invalid_input */
export const readReportInput = (input: object): z.infer<typeof INPUT> => readInput(INPUT, input);

/** The report tool. */
export function reportTools(service: Service): Tool[] {
  return [
    tool({
      name: 'getReport',
      description:
        'A report with its figures, now or as_of, in MARKDOWN unless format says otherwise. To search, use a list.',
      input: INPUT,
      output: reportOutput,
      example: { organization_id: '{organization}', type: 'RISK_REGISTER' },
      run: (input, { caller, progress, signal }) => {
        const drawn = (report: DownloadDetails) => service.reportDrawn(caller, report);
        return getReport(service.reader, caller, input, drawn, (records) => {
          if (signal?.aborted)
            throw new Refusal('unavailable', 'Nobody waits for this report any more: ask for it again.');
          progress?.(records, undefined, `${records} records read`);
        });
      },
    }),
  ];
}
