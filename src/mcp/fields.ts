import { z } from 'zod';
import { kindOf } from '../commands/ids.ts';
import { hasTooManyMarks, MAX_MARKS_IN_A_ROW } from '../commands/normalize.ts';
import { beginOf, isRealDate } from '../queries/moment.ts';

/*
 * The kinds of values that inputs are made of. Each is the one source of its limits and of what is published: text
 * lengths and patterns are enforced and documented, not published (see publish.ts). What is enforced by a function is said
 * once more as `meta`, for the reference and the OpenAPI document; `title` names a kind that no format has a name for.
 */

const NAME_LENGTH = 200;
const TEXT_LENGTH = 10_000;
const LONG_TEXT_LENGTH = 20_000;
const REASON_LENGTH = 1_000;
const URL_LENGTH = 2_000;
const KEY_LENGTH = 200;
const FILTER_VALUES = 50;

/** Control characters, and those that turn the direction of text around. */
const FORBIDDEN_IN_NAMES = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;
/** Texts may also hold line feeds and tabs. */
const FORBIDDEN_IN_TEXTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;

function clean(text: string): string {
  return text.replaceAll('\r\n', '\n').normalize('NFC').trim();
}

/** A text as it arrives may be so many times longer than it is after cleaning: a letter of three marks becomes one. */
const MAX_RAW_RATIO = 4;

/** Refuses texts that would cost much to clean or to normalize, before either is done. */
function string(longest: number, forbidden: RegExp) {
  const tooLong = `is longer than ${longest} characters: shorten it`;
  return z
    .string()
    .refine((value) => value.length <= longest * MAX_RAW_RATIO, { error: tooLong, abort: true })
    .refine((value) => value.isWellFormed(), 'holds a lone surrogate: send well-formed Unicode')
    .refine((value) => !hasTooManyMarks(value), {
      error: `holds more than ${MAX_MARKS_IN_A_ROW} combining marks in a row: take them out`,
      abort: true,
    })
    .overwrite(clean)
    .refine((value) => value.length <= longest, tooLong)
    .refine((value) => !forbidden.test(value), 'holds a control or text-direction character: take it out')
    .meta({ maxLength: longest });
}

/** A short text on one line. */
export const name = () =>
  string(NAME_LENGTH, FORBIDDEN_IN_NAMES)
    .refine((value) => value !== '', 'is empty: give a text')
    .meta({ minLength: 1 });
export const text = () => string(TEXT_LENGTH, FORBIDDEN_IN_TEXTS);
export const requiredText = () =>
  text()
    .refine((value) => value !== '', 'is empty: give a text')
    .meta({ minLength: 1 });
export const longText = () => string(LONG_TEXT_LENGTH, FORBIDDEN_IN_TEXTS);
export const reason = () => string(REASON_LENGTH, FORBIDDEN_IN_TEXTS);

export const requiredReason = () =>
  reason()
    .refine((value) => value !== '', 'is empty: say why')
    .meta({ minLength: 1 });

export const url = () =>
  string(URL_LENGTH, FORBIDDEN_IN_NAMES)
    .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'is no web address: begin it with https://')
    .meta({ format: 'uri' });

export const date = () =>
  z
    .string()
    .overwrite((value) => value.trim())
    .refine(isRealDate, 'is not a date: give YYYY-MM-DD')
    .meta({ format: 'date' });

/** RFC 3339 in UTC, or a date; `read` says what becomes of either. */
const instant = (read: (value: string) => string | null) =>
  z
    .string()
    .overwrite((value) => value.trim())
    .refine((value) => read(value) !== null, 'is not a time: give YYYY-MM-DD, or YYYY-MM-DDThh:mm:ssZ in UTC')
    .overwrite((value) => read(value) ?? value)
    .meta({ title: 'time', pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z)?$' });

/** A time; a date stands for its beginning. */
export const timestamp = () => instant(beginOf);
/** A time, or a date, which stays one: the decider knows what it stands for. */
export const dateOrTime = () => instant((value) => (isRealDate(value) ? value : beginOf(value)));

const LETTER = '[0-9A-HJKMNP-TV-Z]';
/** A pattern of ids of these kinds, and of some words beside them. */
const ids = (kinds: readonly string[], ...words: string[]) =>
  `^(${[...words, ...kinds.map((kind) => `${kind}_${LETTER}{${kind === 'ctl' ? 29 : 26}}`)].join('|')})$`;

/** An id of one of these kinds. */
export const id = (...kinds: string[]) =>
  z
    .string()
    .superRefine((value, context) => {
      if (kinds.includes(kindOf(value) ?? '')) return;
      const allowed = kinds.map((kind) => `${kind}_…`);
      const message = `is no id of the kind ${allowed.join(' or ')}`;
      context.addIssue({ code: 'custom', message, params: { allowed } });
    })
    .meta({ title: 'id', pattern: ids(kinds) });

/** Up to so many ids of these kinds. */
export const someIds = (most: number, kinds: readonly string[]) =>
  z
    .array(id(...kinds))
    .min(1)
    .max(most);

/** A SHA-256 digest, in lower case. */
export const sha256 = () =>
  z
    .string()
    .overwrite((value) => value.trim().toLowerCase())
    .refine((value) => /^[0-9a-f]{64}$/.test(value), 'is no SHA-256: give its 64 hexadecimal digits')
    .meta({ title: 'SHA-256', pattern: '^[0-9A-Fa-f]{64}$' });

/** A member of the organization; ME is the caller. */
export const account = () =>
  z
    .string()
    .superRefine((value, context) => {
      if (value === 'ME' || kindOf(value) === 'acc') return;
      const allowed = ['ME', 'acc_…'];
      context.addIssue({ code: 'custom', message: 'is no account: give ME or an acc_ id', params: { allowed } });
    })
    .meta({ title: 'account', pattern: ids(['acc'], 'ME') });

/** Who can have made a change. */
export const actor = () =>
  z
    .string()
    .superRefine((value, context) => {
      if (['ME', 'SYSTEM'].includes(value) || ['acc', 'tok'].includes(kindOf(value) ?? '')) return;
      const allowed = ['ME', 'SYSTEM', 'acc_…', 'tok_…'];
      context.addIssue({ code: 'custom', message: `is no actor: give ${allowed.join(', ')}`, params: { allowed } });
    })
    .meta({ title: 'actor', pattern: ids(['acc', 'tok'], 'ME', 'SYSTEM') });

/** 1 (least) to 5 (most). */
export const rating = () => z.int().min(1).max(5);

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values);
export const someOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.array(z.enum(values)).min(1).max(FILTER_VALUES);
export const some = <T extends z.ZodType>(value: T) => z.array(value).min(1).max(FILTER_VALUES);

/** Optional, and cleared by null or by an empty text. */
export const clearable = <T extends z.ZodType>(value: T) =>
  z
    .preprocess((given) => (typeof given === 'string' && given.trim() === '' ? null : given), value.nullable())
    .optional();

/** What every write takes. */
export const writeFields = {
  reason: reason().optional(),
  idempotency_key: string(KEY_LENGTH, FORBIDDEN_IN_NAMES).optional(),
};

export const organizationId = () => id('org');
/** Where an id names the record its organization is known: it may be said, and must fit, but no model need be told. */
export const knownOrganizationId = () => id('org').optional().meta({ unpublished: true });
/** The same field without what is said of it, where another tool says it already. */
export const unsaid = <T extends z.ZodType>(field: T): T => field.meta({ unsaid: true });
/** A field of a record in an update: null and an empty text clear it, where they leave out anything else. */
export const clearedByNull = <T extends z.ZodType>(field: T): T => field.meta({ clearedByNull: true });
/** The settable properties that an update applies. Their names stand in the same schema, so they are not listed. */
export const appliedFields = (settable: readonly string[]) =>
  z
    .array(z.enum(settable as [string, ...string[]]).meta({ unlisted: true }))
    .min(1)
    .max(FILTER_VALUES)
    .optional();
export const expectedRevision = () => z.int().min(1).optional();

/** Filters that every family's list has. */
export const commonFilters = (prefix: string, missing: readonly string[], kinds: readonly string[]) => ({
  query: text().optional(),
  ids: some(id(prefix)).optional(),
  owner_id: some(account()).optional(),
  linked_to: id(...kinds).optional(),
  missing: someOf(missing as [string, ...string[]]).optional(),
  updated_since: timestamp().optional(),
  include_archived: z.boolean().optional(),
});

/** What every list takes beside its filter. */
export const listFields = (orders: readonly string[]) => ({
  order_by: z
    .strictObject({
      field: z.enum(orders as [string, ...string[]]).optional(),
      direction: z.enum(['ASC', 'DESC']).optional(),
    })
    .optional(),
  ...pageFields(),
});

export const pageFields = () => ({
  size: z.int().min(1).max(100).default(20),
  cursor: z.string().optional(),
  as_of: z.string().optional(),
  view: z.enum(['SUMMARY', 'FULL', 'COUNT']).default('SUMMARY'),
});
