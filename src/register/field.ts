/*
 * The words in which the fields of a family are described. Lists, filters, inputs, answers, reports, files and pages
 * follow from them. `StateOf` is the type of the records that they describe.
 */

/** The longest text of each kind, in characters. */
export const MAX_CHARACTERS = { name: 200, text: 10_000, longText: 20_000, url: 2_000 } as const;

/** The longest time between two reviews, in months. */
export const MAX_MONTHS = 60;

/** Facts that any field can state. */
interface FieldFacts {
  /** The heading of the field for people. */
  label: string;
  /** Explains the field to callers of tools, if its name doesn't. */
  note?: string;
  /** Adding a record needs it, and it is never empty. */
  required?: true;
  /** The value of a new record that is added without one. Such a field is never empty. */
  initial?: unknown;
  /** `ADD`: only a new record can set it. `COMMAND`: only the family's own commands do. Else adding and updating. */
  setBy?: 'ADD' | 'COMMAND';
  /** A change has an event of its own, such as VendorSuspended. Other changes are corrections: VendorDetailsChanged. */
  hasOwnEvent?: true;
  /** Each change of the field needs a reason, in either direction, and from an empty value too. A new record needs none. */
  changesNeedReason?: true;
  /** Follows from other fields or linked records. It is in read models, but not in the state. */
  derived?: true;
  /**
   * A clause that errors show where an input can't set the field, such as "follows from score". Counts and facts of the day
   * have one by their kind.
   */
  source?: string;
  /**
   * Lists have a filter of this name. It takes several values, except for a boolean. `byWords`: every word of a value must
   * begin a word of the text, as in `query`. Otherwise a value is the whole text.
   */
  filter?: true | { note: string } | { byWords: true };
  /** `query` searches it: all words of a SHORT text, the first 100 distinct words of a LONG one. */
  search?: 'SHORT' | 'LONG';
  /**
   * Writes name the records with a value like this one as `similar`, whatever its case, accents, signs and spaces. COMPANY:
   * whatever its legal form, too.
   */
  lookalike?: true | 'COMPANY';
  /** Sorted and looked up with numbers by value: A.5.2 comes before A.5.10, and NC-7 looks like NC-07. */
  naturalOrder?: true;
  /** A date or time of something that has happened. It can't be after today. */
  isPastFact?: true;
  /**
   * The time of a state that other fields have: one of them has a value, or one of these values. In this state, null says
   * that nobody knows the time. Adding a record here sets it to now. A row of an import states it, or it stays unknown.
   */
  timeOf?: { fields: readonly string[]; values?: readonly unknown[] };
  /** The change history leaves it out. */
  excludedFromHistory?: true;
  /** Adding a record takes it, but tools don't publish it there, because assistants read all that they publish. */
  hiddenInAdds?: true;
  /** Left out of short tables. */
  detail?: true;
}

export type Field = FieldFacts &
  (
    | { kind: 'name' | 'text' | 'longText' | 'url' | 'sha256' | 'date' | 'boolean' | 'account' }
    /** A time in UTC, or a date if the time of day isn't known. A date is found and sorted as the end of its day. */
    | { kind: 'time' }
    /** Ids of records of all families but the one with this prefix. */
    | { kind: 'ids'; exceptPrefix: string; maxItems: number }
    /** A rating is 1 to 5. `labels` say for people what each step means. */
    | { kind: 'rating'; labels?: Readonly<Record<number, string>> }
    /** A score is 1 to 25, a share 0 to 1. */
    | { kind: 'score' | 'share' }
    /** A number of months, from 1 to MAX_MONTHS. */
    | { kind: 'months' }
    /** `labels` are for people, if a value's own words aren't readable. */
    | { kind: 'enum'; values: readonly string[]; labels?: Readonly<Record<string, string>> }
    /** The id of a record with this prefix. */
    | { kind: 'id'; prefix: string }
    /** The id of a person's name in an imported file. The name itself is in the account store. */
    | { kind: 'importedName' }
    /** Only in rows of imports: an account, or a person's name as the file has it. */
    | { kind: 'person' }
    | { kind: 'object'; fields: Fields }
    /** The number of linked records that carry a label: a type, or a type and more, such as CONTROL:INCLUDED. */
    | { kind: 'count'; of: string }
    /**
     * The number of linked records that are valid on the day of the read. They carry a label that begins like this and
     * ends in their last valid day. It depends on the day, so it isn't stored.
     */
    | { kind: 'validCount'; of: string }
    /** True if the date in a stored key is before the day of the read. It depends on the day, so it isn't stored. */
    | { kind: 'past'; key: string }
    /** The position of the newest event of a type. Null before it. */
    | { kind: 'position'; of: string }
  );

export type Fields = Readonly<Record<string, Field>>;

/** The names of the members of a description, such as a family's fields. */
export type MemberName<T> = keyof T & string;

/** The values of a field, if it is an enum. */
export type EnumValueOf<F> = F extends { kind: 'enum'; values: readonly (infer Value extends string)[] }
  ? Value
  : never;

export type ValueOf<F> = F extends { kind: 'enum'; values: readonly (infer Value)[] }
  ? Value
  : F extends { kind: 'object'; fields: infer Members }
    ? { -readonly [Name in keyof Members as Members[Name] extends Computed ? never : Name]: Stored<Members[Name]> }
    : F extends { kind: 'ids' }
      ? readonly string[]
      : F extends { kind: 'boolean' }
        ? boolean
        : F extends { kind: 'rating' | 'score' | 'share' | 'months' }
          ? number
          : string;
/** The type of a field in the state. */
export type Stored<F> = F extends { required: true } | { initial: unknown } ? ValueOf<F> : ValueOf<F> | null;
/** Fields that aren't in the state. */
export type Computed = { derived: true } | { kind: 'count' | 'validCount' | 'past' | 'position' };

/** The state of a record with these fields. Fields that aren't required can be null. */
export type StateOf<F> = {
  -readonly [Name in keyof F as F[Name] extends Computed ? never : Name]: Stored<F[Name]>;
} & { archived_at: string | null };

/** Returns true for a record in the state whose time a field has: see `timeOf`. */
export function hasTimedState({ timeOf }: Pick<Field, 'timeOf'>, record: Readonly<Record<string, unknown>>): boolean {
  const isInState = (value: unknown) => (timeOf?.values ? timeOf.values.includes(value) : (value ?? null) !== null);
  return timeOf?.fields.some((name) => isInState(record[name])) ?? false;
}

/** The member who answers for a record. */
export const OWNER_FIELD = { kind: 'account', label: 'Owner', hasOwnEvent: true } as const;

/** The months between two reviews. The date of the next one follows from it at each review. */
export const REVIEW_INTERVAL_FIELD = {
  kind: 'months',
  label: 'Review interval',
  note: 'months from one review to the next',
} as const;

/** The time of the newest review that changed nothing else, by `reviewed: true`. */
export const LAST_REVIEWED_FIELD = {
  kind: 'time',
  label: 'Reviewed',
  setBy: 'COMMAND',
  source: 'is set by reviewed: true',
} as const;

/** Describes the state of a record. Each transition has an event of its own. */
export function stateField<const Values extends readonly string[], const Initial extends Values[number]>(
  values: Values,
  initial: Initial,
) {
  const facts = { label: 'Status', hasOwnEvent: true, changesNeedReason: true, filter: true } as const;
  return { kind: 'enum', ...facts, values, initial } as const;
}

/** The file that a past decision was imported from. It holds the id of a person's name, never the name. */
export const IMPORTED_FIELD = {
  kind: 'object',
  setBy: 'COMMAND',
  source: 'is set when a past decision is imported',
  fields: {
    name_id: { kind: 'importedName', label: 'Name in the file', note: 'the person without an account who decided' },
    source: { kind: 'text', label: 'Source', note: 'such as row 12 of suppliers.xlsx' },
  },
} as const;
