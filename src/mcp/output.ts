import { z } from 'zod';
import type { FamilyNames } from '../commands/define-family.ts';
import { ERRORS, type ErrorCode } from './error-codes.ts';
import * as field from './fields.ts';

/*
 * What tools answer, as schemas: for the reference, the OpenAPI document and the tests that hold every answer against
 * them. No client is told of them in tools/list, and no answer is checked by them while the service runs.
 */

/** The parts of a family's tools that say what its records hold. */
export interface RecordSchemaOptions {
  query: FamilyNames & { summary?: readonly string[] };
  required?: z.ZodRawShape;
  settable?: z.ZodRawShape;
  settableWhenAdding?: z.ZodRawShape;
  /** Fields that nobody sets, and those that are another thing in answers than in inputs. */
  derived?: z.ZodRawShape;
}

/** A family's records as they are answered. */
export interface RecordSchemas extends FamilyNames {
  full: z.ZodObject;
  /** The fewest fields to choose a record by: none is null, those that would be are left out. */
  summary: z.ZodObject;
}

const schemasCache = new WeakMap<RecordSchemaOptions, RecordSchemas>();

/** A family's records as answered: fields that can be set are what their inputs are, the others are `derived`. */
export function recordSchemas(options: RecordSchemaOptions): RecordSchemas {
  const known = schemasCache.get(options);
  if (known !== undefined) return known;
  const { type, title, singular, plural, prefix, summary = [] } = options.query;
  const { owner_id: _owner, ...settable } = { ...options.required, ...options.settable, ...options.settableWhenAdding };
  const full = z.strictObject({
    id: field.id(prefix),
    organization_id: field.id('org'),
    ...Object.fromEntries(Object.entries(settable).map(([name, input]) => [name, answerSchema(input as z.ZodType)])),
    ...options.derived,
    owner_id: field.id('acc').nullable(),
    owner: z.string().nullable().describe('the name of owner_id'),
    created_at: time(),
    updated_at: time(),
    revision: z.int().describe('1 when added, one more with each of its events'),
    archived_at: time().nullable(),
    stale: z.literal(true).optional().describe('a later event could not be read: what follows is not known'),
    truncated: z.array(z.string()).optional().describe('texts cut because the record alone did not fit'),
  });
  const kind = { type, title, singular, plural, prefix, full, summary: summaryOf(prefix, full, summary) };
  schemasCache.set(options, kind);
  return kind;
}

function summaryOf(prefix: string, full: z.ZodObject, fields: readonly string[]): z.ZodObject {
  const chosen = fields.map((name) => {
    const type = full.shape[name] as z.ZodType;
    return [name, type instanceof z.ZodNullable ? (type.unwrap() as z.ZodType).optional() : type];
  });
  return z.strictObject({
    id: field.id(prefix),
    ...Object.fromEntries(chosen),
    owner: z.string().optional(),
    archived_at: time().optional(),
    stale: z.literal(true).optional(),
  });
}

/** An input's type as answers have it: always there, and null where it can be cleared. */
function answerSchema(input: z.ZodType): z.ZodType {
  const { type, innerType, out } = input._zod.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
  if (type === 'pipe') return out!;
  if (type !== 'optional' && type !== 'default') return input;
  const inner = answerSchema(innerType!);
  return input.description === undefined ? inner : inner.describe(input.description);
}

/** A time as answers have it: UTC, with milliseconds. */
export const time = () => z.iso.datetime({ precision: 3 });
/** An event's place in the organization's history. */
export const position = () => z.string().regex(/^\d+$/);

const moment = z.strictObject({ position: position(), date: field.date() });

/** What an answer says beside its records. */
export const momentNotes = {
  as_of: moment.optional().describe('only where as_of was given: the moment answered about'),
  incomplete: z.literal(true).optional().describe('an event of the organization could not be read: something may lack'),
};
export const pending = z.literal(true).optional().describe('done, but not to be read yet');
export const nextCursor = z.string().optional().describe('only where there is a next page');

/** Either way to answer a list: a page of records, or their number. */
export function pageOutput(plural: string, items: readonly z.ZodType[], more: z.ZodRawShape = {}): z.ZodType {
  const pages = items.map((item) =>
    z.strictObject({ [plural]: z.array(item), next_cursor: nextCursor, ...momentNotes, ...more }),
  );
  return z.union([...pages, z.strictObject({ total: z.int(), ...momentNotes })]);
}

export const listOutput = ({ plural, summary, full }: RecordSchemas) => pageOutput(plural, [summary, full]);

/** The answer of a write on one record. */
export function writeOutput({ singular, full }: RecordSchemas, adds: boolean, more: z.ZodRawShape = {}): z.ZodType {
  const similar = z.array(z.strictObject({ id: z.string(), name: z.string().nullable() }));
  return z.strictObject({
    [singular]: full,
    revision: z.int().describe('of the record after this write'),
    position: position().optional().describe('of the write’s last event: serves as as_of; absent while pending'),
    event_types: z.array(z.string()).describe('what happened; empty where nothing changed'),
    ...more,
    repeated: z.literal(true).optional().describe('this key and input were done before'),
    pending,
    ...(adds ? { similar: similar.optional().describe('others of the same name or reference: advice') } : {}),
  });
}

/** What went wrong, as every failure says it. */
export const errorObject = z.strictObject({
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().describe('what to do next, in one sentence'),
  field: z.string().optional().describe('the input at fault'),
  allowed: z.array(z.string()).optional().describe('what would be accepted instead'),
  hint: z.string().optional(),
  current_revision: z.int().optional().describe('where another one was expected'),
  retry_after_seconds: z.int().optional(),
  issues: z
    .array(z.strictObject({ field: z.string(), message: z.string() }))
    .optional()
    .describe('every problem'),
  retryable: z.boolean().describe('whether the same call can succeed later'),
});
export const errorOutput = z.strictObject({ error: errorObject });
