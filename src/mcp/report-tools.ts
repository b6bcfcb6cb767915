import { z } from 'zod';
import { getReport } from '../queries/report/report.ts';
import { REPORT_FORMATS, REPORT_TYPES } from '../queries/report/report-type.ts';
import * as field from './fields.ts';
import { reportOutput } from './report-output.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';

/** The report tool. */
export function reportTools(service: Service): Tool[] {
  return [
    tool({
      name: 'getReport',
      description:
        'A report with its figures, now or as_of, in MARKDOWN unless format says otherwise. To search, use a list.',
      input: z.strictObject({
        organization_id: field.organizationId(),
        type: z.enum(REPORT_TYPES),
        framework_id: field.id('frm').optional(),
        audit_id: field.id('aud').optional(),
        owner_id: field.account().optional(),
        until: field.date().optional(),
        from: z.string().optional(),
        to: z.string().optional(),
        as_of: z.string().optional(),
        format: z.enum(REPORT_FORMATS).default('MARKDOWN'),
        cursor: z.string().optional(),
      }),
      output: reportOutput,
      example: { organization_id: '{organization}', type: 'RISK_REGISTER' },
      run: (input, { caller }) =>
        getReport(service.reader, caller, input, (report) => service.reportDrawn(caller, report)),
    }),
  ];
}
