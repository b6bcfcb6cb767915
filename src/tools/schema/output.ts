import { z } from 'zod';
import type { FamilyNames } from '../../register/family-description.ts';
import { RELATION_LABELS, type RelationOfRecord } from '../../register/link.ts';
import { ERRORS, type ErrorCode } from '../error-codes.ts';
import * as field from './fields.ts';

/*
 * Schemas of the tools' answers, for the reference and the OpenAPI document. The tests check every answer by them. They are
 * not published in tools/list, and the running service doesn't check its answers.
 */

/** The schemas of a family's records in answers. */
export interface RecordSchemas extends FamilyNames {
  readonly full: z.ZodObject;
  /** The fields of view SUMMARY. A null field is left out. */
  readonly summary: z.ZodObject;
}

/** A time in answers: UTC, with milliseconds. */
export const time = () => z.iso.datetime({ precision: 3 });
/** A time in answers, or a date if nobody stated the time of day. */
export const statedTime = () => z.union([time(), z.iso.date()]).meta({ title: 'time or date' });
/** An event's number in its organization's log. */
export const position = () => z.string().regex(/^\d+$/);

/** A relation as one of the two controls has it. */
export const relationSchema = z.enum(Object.keys(RELATION_LABELS) as RelationOfRecord[]);

const moment = z.strictObject({
  position: position(),
  date: field.date(),
  note: z.string().optional().describe('only before the first event, and on a day after the last one: says so'),
});

/** Members of answers that describe the moment of a read. */
export const momentNotes = {
  as_of: moment.optional().describe('only with as_of: the moment shown'),
  incomplete: z
    .literal(true)
    .optional()
    .describe('an event of the organization could not be read, so something may be missing'),
};
/** The id of a call. A repeated call with the same idempotency_key or selection has the same. */
const writtenCall = z.uuid().describe('of this call; listChanges finds what it wrote by filter.call_id');
export const pending = z.literal(true).optional().describe('done, but lists may not show it yet');
export const pageUrl = z
  .string()
  .optional()
  .describe('the page that shows this, for people; absent if the service doesn’t know its public address');
export const impliedOrganization = z
  .string()
  .optional()
  .describe('only if the call left it out: the one organization that it reaches');
export const nextCursor = z.string().optional().describe('only if there is a next page');

/** Returns the schema of a list's answer: a page of records, or their number for view COUNT. */
export function pageOutput(
  plural: string,
  items: readonly z.ZodType[],
  extraFields: z.ZodRawShape = {},
  countFields: z.ZodRawShape = {},
): z.ZodType {
  const pages = items.map((item) =>
    z.strictObject({
      organization_id: impliedOrganization,
      [plural]: z.array(item),
      next_cursor: nextCursor,
      ...momentNotes,
      ...extraFields,
      url: pageUrl,
    }),
  );
  const count = { organization_id: impliedOrganization, total: z.int(), ...momentNotes, ...countFields, url: pageUrl };
  return z.union([...pages, z.strictObject(count)]);
}

const hint = z
  .string()
  .optional()
  .describe('only if nothing was found: archived records that match, values in use of a text filter, or near matches');

const listNotes = {
  owner_id: z.array(field.id('acc')).optional().describe('only if the filter names an owner: the accounts'),
  hint,
};

/** @param listedFields fields that only listed records have */
export const listOutput = ({ plural, summary, full }: RecordSchemas, listedFields: z.ZodRawShape = {}) =>
  pageOutput(plural, [summary.extend(listedFields), full.extend(listedFields)], listNotes, listNotes);

/** Fields of controls that a framework's filter finds. */
export const linkedControls = {
  linked_controls: z
    .array(z.strictObject({ section_title: z.string(), relation: relationSchema }))
    .optional()
    .describe('with filter.linked_framework_id: that framework’s controls, by number'),
};

/** The dates of a call, or of a row, that were read as "no end". */
export const noEnd = z
  .array(z.string())
  .optional()
  .describe('fields left empty, because 9999-12-31 and 2999-12-31 mean no end');

/** Members of the answer to every write. */
export const writtenMembers = {
  call_id: writtenCall,
  changes: z
    .array(z.strictObject({ record_id: z.string(), field: z.string(), from: z.unknown(), to: z.unknown() }))
    .optional()
    .describe('what changed on records, and links, that existed before: of at most 50; texts cut at 200 characters'),
  more_changes: z.int().optional().describe('the number of changes left out'),
};

/** Returns the schema of the answer to a write on one record. */
export function writeOutput(
  { singular, full }: RecordSchemas,
  isAdd: boolean,
  extraFields: z.ZodRawShape = {},
): z.ZodType {
  const similar = z.array(z.strictObject({ id: z.string(), name: z.string().nullable() }));
  return z.strictObject({
    ...(isAdd ? { organization_id: impliedOrganization } : {}),
    [singular]: full,
    revision: z.int().describe('of the record after this write'),
    position: position().optional().describe('of the write’s last event; works as as_of; absent while pending'),
    event_types: z.array(z.string()).describe('what happened; empty if nothing changed'),
    ...writtenMembers,
    ...extraFields,
    no_end: noEnd,
    repeated: z.literal(true).optional().describe('the same key and input were done before'),
    pending,
    similar: similar
      .optional()
      .describe('other records that look like this one, by the name, text or reference_id that this write set'),
    url: pageUrl,
  });
}

/** The schema of every error. */
export const errorObject = z.strictObject({
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().describe('the problem and the next step'),
  field: z.string().optional().describe('the input that is wrong'),
  allowed: z.array(z.string()).optional().describe('accepted values'),
  hint: z.string().optional(),
  candidates: z
    .array(z.strictObject({ id: z.string(), name: z.string() }))
    .optional()
    .describe('the records that the word in field may name, at most 5'),
  current_revision: z.int().optional().describe('if it differs from expected_revision'),
  retry_after_seconds: z.int().optional(),
  issues: z
    .array(z.strictObject({ field: z.string(), message: z.string() }))
    .optional()
    .describe('every problem'),
  retryable: z.boolean().describe('true if the same call can succeed later'),
});
export const errorOutput = z.strictObject({ error: errorObject });

/** Members of the answer about a proposal. */
export const proposalMembers = {
  depends_on: z.array(z.string()).describe('the proposals that come first'),
  refused: z.array(z.strictObject({ record_id: z.string().optional(), code: z.string(), message: z.string() })),
};

/** The answer of a call that waits for a person's decision. */
export const pendingOutput = z.strictObject({
  pending_approval: z.strictObject({
    proposal_id: z.string(),
    url: z.string().optional().describe('the page where a person decides'),
    expires_at: z.string(),
    record_id: z.string().optional().describe('the id that the new record will get'),
    depends_on: proposalMembers.depends_on.optional(),
    changes: writtenMembers.changes,
    more_changes: writtenMembers.more_changes,
    note: z.string(),
  }),
});

/** The answer to a repeat of a call that a person approved. */
export const carriedOutOutput = z.strictObject({
  proposal_id: z.string(),
  state: z.literal('CARRIED_OUT'),
  call_id: z.string().describe('the call that did what was approved'),
  done: z.int().describe('the records that it changed'),
  refused: proposalMembers.refused,
  repeated: z.literal(true),
});
