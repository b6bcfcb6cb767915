import { z } from 'zod';
import { REPORT_TYPES } from '../../reports/all-reports.ts';
import * as field from './fields.ts';
import { once } from './once.ts';
import { impliedOrganization, nextCursor, pageUrl, position, time } from './output.ts';
import { verification } from './register-output.ts';

const figure = z.strictObject({
  name: z.string(),
  group: z.string().describe('the heading above several figures'),
  label: z.string().describe('its name below that heading'),
  kind: z.enum(['COUNT', 'SHARE']),
  value: z.number().nullable().describe('a count, or a share between 0 and 1'),
  counts: z.string().describe('what it counts, exactly'),
  change: z
    .strictObject({
      days_30: z.number().nullable(),
      days_90: z.number().nullable(),
      days_365: z.number().nullable(),
    })
    .optional()
    .describe('POSTURE: the difference to so many days ago; null if there was no register yet'),
});

const head = {
  report_version: z.literal([1, 2]).describe('version of what the digest covers'),
  type: z.enum(REPORT_TYPES),
  title: z.string(),
  organization: z.strictObject({ id: field.id('org'), name: z.string().nullable() }),
  inputs: z.record(z.string(), z.union([z.string(), z.number()])).describe('the report’s inputs, resolved'),
  about: z
    .array(z.strictObject({ label: z.string(), value: z.string() }))
    .describe('the inputs in words, and further notes; people are account ids'),
  as_of: time().nullable().describe('log time of the newest included event'),
  position: position().describe('works as as_of'),
  today: field.date().describe('the date that due dates are compared with'),
  generated_at: time(),
  digest: field.sha256Digest().describe('of the whole report; the same on every page and in every format'),
  incomplete: z
    .literal(true)
    .optional()
    .describe('an event of the organization could not be read, so something may be missing'),
  proof: z
    .looseObject({
      verification: verification
        .optional()
        .describe(
          'on the first page: checks all changes from inputs.from_position to position against the log; to continue, give verify_cursor to listChanges with verify and these two as filter.from and filter.to',
        ),
    })
    .optional()
    .describe('AUDIT_PACK: the first seal that covers position, and the proof from the event there'),
  pending_seal: z.literal(true).optional().describe('AUDIT_PACK: no seal covers position yet'),
};

const report = z.strictObject({
  ...head,
  content: z.string().optional().describe('for MARKDOWN and CSV'),
  data: z
    .strictObject({
      figures: z.array(figure).optional().describe('on the first page'),
      sections: z.array(
        z.strictObject({
          name: z.string(),
          note: z.string().optional().describe('what to know when reading it'),
          rows: z.array(z.record(z.string(), z.unknown())).describe('without empty fields; people are account ids'),
        }),
      ),
    })
    .optional()
    .describe('for JSON'),
  people: z
    .record(z.string(), z.string())
    .optional()
    .describe('names by account id, or by `id@time` for a former name; not part of the digest'),
  truncated: z
    .literal(true)
    .optional()
    .describe(
      'a row too large for an answer was shortened, and has truncated too; the digest covers the full row, as in files',
    ),
  whole: z.string().optional().describe('where to get the full rows, in words'),
  left_out: z.record(z.string(), z.int()).optional().describe('the number of rows after this page, by section'),
});

export const reportOutput = once(() =>
  z.strictObject({
    organization_id: impliedOrganization,
    report,
    next_cursor: nextCursor,
    url: pageUrl,
  }),
);
