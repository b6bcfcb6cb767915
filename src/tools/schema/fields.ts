import { z } from 'zod';
import { isRealDate, missingDay, startOfPeriod, toDateOrTime } from '../../commands/engine/dates.ts';
import { FORBIDDEN_IN_NAMES, FORBIDDEN_IN_TEXTS } from '../../commands/engine/forbidden-characters.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { hasTooManyMarks, MAX_MARKS_IN_A_ROW } from '../../commands/engine/normalize.ts';
import { isMemberWord } from '../../queries/records/member-words.ts';
import { familyOfPrefix } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { MAX_CHARACTERS, MAX_MONTHS } from '../../register/field.ts';
import { RELATIONS } from '../../register/link.ts';
import { once } from './once.ts';
import { secretIn } from './secret-forms.ts';

/*
 * The value types of inputs, each with its limits. Text lengths and patterns are enforced and documented, but not
 * published to clients (see json-schema.ts). A limit that a function enforces is repeated as `meta`, for the reference and
 * the OpenAPI document. `title` names a type that has no JSON Schema format.
 */

const MAX_REASON_CHARACTERS = 1_000;
const MAX_KEY_CHARACTERS = 200;
const MAX_QUERY_CHARACTERS = 2_000;
const MAX_FILTER_VALUES = 50;

function normalizeText(text: string): string {
  return text.replaceAll('\r\n', '\n').normalize('NFC').trim();
}

/**
 * The longest a text can be before normalization, and in its decomposed form, as a multiple: a letter with three marks is one
 * character. Search compares decomposed texts, and some ligatures have 18 characters then.
 */
const MAX_RAW_RATIO = 4;
const NOT_ASCII = /[^\u0000-\u007f]/;

/** Returns true if a text's decomposed form is much longer than the text may be. No language needs such texts. */
const growsTooMuch = (value: string, maxCharacters: number) =>
  value.length * MAX_RAW_RATIO > maxCharacters &&
  NOT_ASCII.test(value) &&
  value.normalize('NFKD').length > maxCharacters * MAX_RAW_RATIO;

/** A text of limited length. Texts that would be costly to normalize are refused first. */
function boundedString(maxCharacters: number, forbidden: RegExp) {
  const tooLong = `is longer than ${maxCharacters} characters: shorten it`;
  return z
    .string()
    .refine((value) => value.length <= maxCharacters * MAX_RAW_RATIO, { error: tooLong, abort: true })
    .refine((value) => value.isWellFormed(), 'contains a lone surrogate: send well-formed Unicode')
    .refine((value) => !hasTooManyMarks(value), {
      error: `contains more than ${MAX_MARKS_IN_A_ROW} combining marks in a row: remove them`,
      abort: true,
    })
    .overwrite(normalizeText)
    .refine((value) => value.length <= maxCharacters && !growsTooMuch(value, maxCharacters), tooLong)
    .refine((value) => !forbidden.test(value), 'contains a control, text-direction or hidden character: remove it')
    .refine((value) => secretIn(value) === null, {
      error: ({ input }) => `contains ${secretIn(String(input))}: remove it, and replace it where it is in use`,
      abort: true,
    })
    .meta({ maxLength: maxCharacters });
}

/** A short text on one line. */
export const name = once(() =>
  boundedString(MAX_CHARACTERS.name, FORBIDDEN_IN_NAMES)
    .refine((value) => value !== '', 'is empty: give a text')
    .meta({ minLength: 1 }),
);
export const text = once(() => boundedString(MAX_CHARACTERS.text, FORBIDDEN_IN_TEXTS));
export const requiredText = once(() =>
  text()
    .refine((value) => value !== '', 'is empty: give a text')
    .meta({ minLength: 1 }),
);
export const longText = once(() => boundedString(MAX_CHARACTERS.longText, FORBIDDEN_IN_TEXTS));
/** Words to search for. Each call normalizes them, so the text is short. */
export const query = once(() => boundedString(MAX_QUERY_CHARACTERS, FORBIDDEN_IN_TEXTS));
export const reason = once(() => boundedString(MAX_REASON_CHARACTERS, FORBIDDEN_IN_TEXTS));

export const requiredReason = once(() =>
  reason()
    .refine((value) => value !== '', 'is empty: say why')
    .meta({ minLength: 1 }),
);

/** Returns true for an address such as https://ada:secret@example.org. */
function hasCredentials(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

export const url = once(() =>
  boundedString(MAX_CHARACTERS.url, FORBIDDEN_IN_NAMES)
    .refine(
      (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
      'is not a web address: start it with https://',
    )
    .refine((value) => !hasCredentials(value), 'contains a user name or password: remove it')
    .meta({ format: 'uri' }),
);

function dateProblem(text: unknown, form: string): string {
  return missingDay(String(text)) === null ? form : 'is a day that does not exist in the calendar: give another';
}

export const date = once(() =>
  z
    .string()
    .overwrite((value) => value.trim())
    .refine(isRealDate, { error: ({ input }) => dateProblem(input, 'is not a date: give YYYY-MM-DD') })
    .meta({ format: 'date' }),
);

/** An RFC 3339 time, or a date. `read` turns either into the stored value, which is in UTC. */
const timeInput = (read: (value: string) => string | null) =>
  z
    .string()
    .overwrite((value) => value.trim())
    .refine((value) => read(value) !== null, {
      error: ({ input }) =>
        dateProblem(input, 'is not a time: give YYYY-MM-DD, or YYYY-MM-DDThh:mm:ss with Z or an offset such as +02:00'),
    })
    .overwrite((value) => read(value) ?? value)
    .meta({
      title: 'time',
      pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2}))?$',
    });

/** A time. A date stands for its first millisecond. */
export const timestamp = once(() => timeInput(startOfPeriod));
/** A time or a date. A date stays a date. */
export const dateOrTime = once(() => timeInput(toDateOrTime));

const LETTER = '[0-9A-HJKMNP-TV-Z]';
/** The pattern of ids with these prefixes, and of further words such as ME. */
const idPattern = (prefixes: readonly string[], ...words: string[]) =>
  `^(${[...words, ...prefixes.map((prefix) => `${prefix}_${LETTER}{${prefix === 'ctl' ? 29 : 26}}`)].join('|')})$`;

interface IdOptions {
  /** Returns the advice for an id of another family's record. */
  adviceFor?: (family: FamilyDescription) => string;
  /** A text that can be a number or name is no problem. */
  takesAnyName?: true;
}

/** An id with one of these prefixes. */
export const id = (...prefixes: string[]) => idWith(prefixes).meta({ pattern: idPattern(prefixes) });

/** The id of a record with one of these prefixes. A tool call may name the record by a word: see `record-words.ts`. */
export const recordId = (...prefixes: string[]) => idWith(prefixes);

/** The id of a record that a tool changes. An id of another family is refused with the tool that changes its records. */
export const changedId = (prefix: string) =>
  idWith([prefix], {
    adviceFor: ({ tools, plural }) =>
      tools.update ? `${tools.update.name} changes ${plural}` : `${plural} don’t change`,
  });

function idWith(prefixes: readonly string[], { adviceFor, takesAnyName }: IdOptions = {}) {
  const allowed = prefixes.map((prefix) => `${prefix}_…`);
  const advise = adviceFor ?? (() => `give ${formsOf(prefixes)}`);
  return z
    .string()
    .superRefine((value, context) => {
      const prefix = idPrefix(value);
      if (prefix === null ? takesAnyName && isAnyName(value) : prefixes.includes(prefix)) return;
      const other = familyOfPrefix(prefix ?? '');
      const message =
        other === undefined ? notAnId(prefixes) : `is the id of another type (${other.singular}): ${advise(other)}`;
      context.addIssue({ code: 'custom', message, params: { allowed } });
    })
    .meta({
      title: takesAnyName ? 'id or name' : 'id',
      // In the reference and the OpenAPI document: an id, or another text.
      pattern: idPattern(prefixes, `.{1,${MAX_CHARACTERS.name}}`),
      recordPrefixes: prefixes.filter((prefix) => familyOfPrefix(prefix) !== undefined),
    });
}

const isAnyName = (value: string): boolean => idPrefix(value.trim()) === null && name().safeParse(value).success;

function notAnId(prefixes: readonly string[]): string {
  const [prefix] = prefixes;
  if (prefixes.length === 1 && prefix === 'org') return 'is not an id of the form org_…: listOrganizations has them';
  return `names no record: give ${formsOf(prefixes)}, a number or a whole name`;
}

/** Returns the ids that are allowed, in words. */
function formsOf(prefixes: readonly string[]): string {
  return prefixes.length === 1 ? `an id of the form ${prefixes[0]}_…` : 'an id of an allowed form';
}

/** One to `max` ids with these prefixes. */
export const idList = (max: number, prefixes: readonly string[]) =>
  z
    .array(recordId(...prefixes))
    .min(1)
    .max(max);

/** One to `max` ids with these prefixes, or numbers or names, even such as no record has. */
export const listOfIdsOrNames = (max: number, prefixes: readonly string[]) =>
  z
    .array(idWith(prefixes, { takesAnyName: true }))
    .min(1)
    .max(max);

/** A SHA-256 digest in hexadecimal, converted to lower case. */
export const sha256Digest = once(() =>
  z
    .string()
    .overwrite((value) => value.trim().toLowerCase())
    .refine((value) => /^[0-9a-f]{64}$/.test(value), 'is not a SHA-256 digest: give 64 hexadecimal digits')
    .meta({ title: 'SHA-256', pattern: '^[0-9A-Fa-f]{64}$' }),
);

/** Where callers find the ids of accounts. */
const MEMBERS = ' (listOrganizations with include_members has the ids)';

/** A member's account id. ME is the caller. */
export const account = once(() =>
  z
    .string()
    .superRefine((value, context) => {
      if (value === 'ME' || idPrefix(value) === 'acc') return;
      const allowed = ['ME', 'acc_…'];
      const message = `is not an account: give ME or an acc_ id${MEMBERS}`;
      context.addIssue({ code: 'custom', message, params: { allowed } });
    })
    .meta({ title: 'account', pattern: idPattern(['acc'], 'ME') }),
);

/** A person who decided: ME, an account's id, or the name of somebody without an account. "Me" is nobody's name. */
export const person = once(() => name().overwrite((value) => (/^me$/i.test(value) ? 'ME' : value)));

/** The longest address. Names are shorter. */
const MAX_OWNER_CHARACTERS = 254;

/** An account that owns records: ME, an id, or a member's name or address, which `MemberWords` finds. */
export const owner = once(() =>
  boundedString(MAX_OWNER_CHARACTERS, FORBIDDEN_IN_NAMES)
    .superRefine((value, context) => {
      if (value === 'ME' || idPrefix(value) === 'acc' || (value !== '' && isMemberWord(value))) return;
      const allowed = ['ME', 'acc_…'];
      const message = 'is not a member: give ME, an acc_ id or a name';
      context.addIssue({ code: 'custom', message, params: { allowed } });
    })
    .meta({ title: 'member', minLength: 1 }),
);

/** The actor of a change: an account, a token or SYSTEM. ME is the caller. */
export const actor = once(() =>
  z
    .string()
    .superRefine((value, context) => {
      if (['ME', 'SYSTEM'].includes(value) || ['acc', 'tok'].includes(idPrefix(value) ?? '')) return;
      const allowed = ['ME', 'SYSTEM', 'acc_…', 'tok_…'];
      context.addIssue({
        code: 'custom',
        message: `is not an actor: give one of ${allowed.join(', ')}${MEMBERS}`,
        params: { allowed },
      });
    })
    .meta({ title: 'actor', pattern: idPattern(['acc', 'tok'], 'ME', 'SYSTEM') }),
);

/** The id of a call, as answers to writes have it. */
export const callId = once(() =>
  z
    .string()
    .overwrite((value) => value.trim().toLowerCase())
    .pipe(z.uuid('is not a call_id: answers to writes have it')),
);

/** A rating from 1 (lowest) to 5 (highest). */
export const rating = once(() => z.int().min(1).max(5));
/** Likelihood × impact. */
export const score = once(() => z.int().min(1).max(25));

/** A number of months between two reviews. */
export const months = once(() => z.int().min(1).max(MAX_MONTHS));

export const enumOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values);
export const enumList = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.array(z.enum(values)).min(1).max(MAX_FILTER_VALUES);
export const listOf = <T extends z.ZodType>(value: T) => z.array(value).min(1).max(MAX_FILTER_VALUES);

/**
 * Values of a list. A text of such values with commas is taken too, as addresses have it. It arrives as a list of one: see
 * `client-values.ts`.
 */
export const commaList = (values: readonly string[]) =>
  z.preprocess(
    (input) => {
      const [text] = Array.isArray(input) && input.length === 1 ? input : [input];
      const texts = typeof text === 'string' ? text.split(',').map((value) => value.trim()) : [];
      return texts.length > 0 && texts.every((value) => values.includes(value)) ? texts : input;
    },
    listOf(z.enum(values as [string, ...string[]]).meta({ hideEnum: true })),
  );

/** Optional. Null or an empty text clears the field. */
export const clearable = <T extends z.ZodType>(value: T) =>
  z
    .preprocess((input) => (typeof input === 'string' && input.trim() === '' ? null : input), value.nullable())
    .optional();

/** Fields that every write tool takes. */
export const writeFields = {
  reason: reason().optional(),
  idempotency_key: boundedString(MAX_KEY_CHARACTERS, FORBIDDEN_IN_NAMES).optional(),
};

/** Fields of tools that change many records. */
export const bulkFields = {
  dry_run: z.boolean().default(false),
  selection: z
    .string()
    .optional()
    .describe('needed to change more than five existing records: from the answer of the dry run')
    .meta({ hideDescription: true }),
};

/** Those of a tool that needs them rarely: its refusal names them. */
export const unpublishedBulkFields = {
  dry_run: bulkFields.dry_run.meta({ unpublished: true }),
  selection: bulkFields.selection.meta({ unpublished: true }),
};

export const organizationId = () => id('org');
/** Callers may leave it out if they reach one organization only. The toolbox then gives it before the input is parsed. */
export const impliedOrganizationId = () =>
  withoutDescription(id('org').describe('may be left out if you reach one organization only')).meta({ implied: true });
/** Not published: the record's id already determines the organization. If given, it must match. */
export const optionalOrganizationId = () => id('org').optional().meta({ unpublished: true });
/** The same field, published without its description because another tool has it. */
export const withoutDescription = <T extends z.ZodType>(field: T): T => field.meta({ hideDescription: true });
/** The same list, published without the values that it takes. The refusal of another value names them. */
export const withoutEnum = <T extends z.ZodType>(list: T): T => list.meta({ hideEnum: true });
/** Marks a field of an update that null clears. Elsewhere null counts as left out (see input-parser.ts). */
export const clearedByNull = <T extends z.ZodType>(field: T): T => field.meta({ clearedByNull: true });
/** The names of the properties that an update applies. Not published as an enum: the schema has them as properties. */
export const appliedFields = (settable: readonly string[]) =>
  z
    .array(z.enum(settable as [string, ...string[]]).meta({ hideEnum: true }))
    .min(1)
    .max(MAX_FILTER_VALUES)
    .optional();
/** Takes back the newest decision of a record. @param noun of the decision */
export const withdraw = (noun: string) =>
  withoutDescription(
    z.boolean().optional().describe(`the newest ${noun}; needs reason, and nothing else may be given`),
  );
/** A field that models get to know from the instructions: tools/list would repeat it for many tools. */
const unlisted = <T extends z.ZodType>(field: T): T => field.meta({ unlisted: true });
export const expectedRevision = () => unlisted(z.int().min(1).optional());

/** Models seldom ask for records whose owner has left, so `tools/list` doesn't have that value. */
const missingFilter = (options: readonly string[]) =>
  listOf(z.enum(options as [string, ...string[]]).meta({ unpublishedValues: ['OWNER_GONE'] }));

/** Filters of every family's list. */
export const commonFilters = (
  prefix: string,
  missingOptions: readonly string[],
  linkablePrefixes: readonly string[],
) => ({
  query: query().optional(),
  ids: unlisted(listOf(recordId(prefix)).optional()),
  owner_id: listOf(owner()).optional(),
  linked_to: recordId(...linkablePrefixes).optional(),
  ...(missingOptions.length === 0 ? {} : { missing: missingFilter(missingOptions).optional() }),
  updated_since: timestamp().optional(),
  include_archived: z.boolean().optional(),
});

/** Filters of lists of controls: those linked with these frameworks' controls, by one of these relations. */
export const relationFilters = () => ({
  linked_framework_id: withoutDescription(
    listOf(recordId('frm'))
      .optional()
      .describe('controls linked with a control of one of these frameworks; each has linked_controls'),
  ),
  // linkRecords publishes the relations.
  relation: withoutDescription(
    listOf(z.enum(RELATIONS).meta({ hideEnum: true }))
      .optional()
      .describe('linked with another control in this way, in either direction; each has linked_controls'),
  ),
});

/** Inputs of every list besides its filter. */
export const listFields = (orders: readonly string[]) => ({
  order_by: z
    .strictObject({
      field: z.enum(orders as [string, ...string[]]).optional(),
      direction: withoutEnum(z.enum(['ASC', 'DESC'])).optional(),
    })
    .optional(),
  ...pageFields(),
});

export const pageFields = () => ({
  size: z.int().min(1).max(100).default(20),
  cursor: z.string().optional(),
  as_of: z.string().optional(),
  view: withoutEnum(z.enum(['SUMMARY', 'FULL', 'COUNT'])).default('SUMMARY'),
});
