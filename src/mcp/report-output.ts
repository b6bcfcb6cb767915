import { z } from 'zod';
import { REPORT_TYPES } from '../queries/report/report-types.ts';
import * as field from './fields.ts';
import { nextCursor, position, time } from './output.ts';
import { verification } from './register-output.ts';

const figure = z.strictObject({
  name: z.string(),
  group: z.string().describe('what it is about: a heading of several'),
  label: z.string().describe('what it is called below that'),
  kind: z.enum(['COUNT', 'SHARE']),
  value: z.number().nullable().describe('a count, or a share between 0 and 1'),
  counts: z.string().describe('what exactly it counts'),
  change: z
    .strictObject({
      days_30: z.number().nullable(),
      days_90: z.number().nullable(),
      days_365: z.number().nullable(),
    })
    .optional()
    .describe('of POSTURE: how much more it is than so many days before; null where there was no register yet'),
});

const head = {
  report_version: z.literal(1).describe('version of what the digest covers'),
  type: z.enum(REPORT_TYPES),
  title: z.string(),
  organization: z.strictObject({ id: field.id('org'), name: z.string().nullable() }),
  inputs: z.record(z.string(), z.union([z.string(), z.number()])).describe('what narrows it, as it was understood'),
  about: z
    .array(z.strictObject({ label: z.string(), value: z.string() }))
    .describe('the inputs in words, and what else has to be known; an account’s id stands for a person'),
  as_of: time().nullable().describe('log time of the newest event in it'),
  position: position().describe('serves as as_of'),
  today: field.date().describe('the day that due dates are compared with'),
  generated_at: time(),
  digest: field.sha256Digest().describe('of the whole report: the same on every page and in every format'),
  incomplete: z.literal(true).optional().describe('an event of the organization could not be read: something may lack'),
  proof: z
    .looseObject({
      verification: verification
        .optional()
        .describe(
          'on the first page: all changes from inputs.from_position to position held against the log; its verify_cursor goes on in listChanges with verify and these two as filter.from and filter.to',
        ),
    })
    .optional()
    .describe('of AUDIT_PACK: the first seal that covers position, and the way to it from the event there'),
  pending_seal: z.literal(true).optional().describe('of AUDIT_PACK: no seal covers position yet'),
};

const report = z.strictObject({
  ...head,
  content: z.string().optional().describe('of MARKDOWN and CSV'),
  data: z
    .strictObject({
      figures: z.array(figure).optional().describe('on the first page'),
      sections: z.array(
        z.strictObject({
          name: z.string(),
          note: z.string().optional().describe('what has to be known to read it right'),
          rows: z.array(z.record(z.string(), z.unknown())).describe('empty fields are left out; people are ids'),
        }),
      ),
    })
    .optional()
    .describe('of JSON'),
  people: z
    .record(z.string(), z.string())
    .optional()
    .describe('names by account id, `id@time` for an act under another name; not in the digest'),
  truncated: z
    .literal(true)
    .optional()
    .describe(
      'a row too large for an answer is cut, and has truncated too: the digest is of the whole one, which files have',
    ),
  whole: z.string().optional().describe('where the rows that are cut are whole, in words'),
  left_out: z.record(z.string(), z.int()).optional().describe('how many rows come after this page, by section'),
});

export const reportOutput = z.strictObject({ report, next_cursor: nextCursor });
