import type { EventSchemas } from './event-schema.ts';
import type { FamilyFigures } from './figure.ts';

/*
 * The words in which families are described. A description is plain data: lists, filters, inputs, answers, reports,
 * files and pages follow from it. `StateOf` is the type of the records that it describes.
 */

/** The longest text of each kind, in characters. */
export const MAX_CHARACTERS = { name: 200, text: 10_000, longText: 20_000, url: 2_000 } as const;

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
  /** Adding a record names those with the same value as `similar`. */
  lookalike?: true;
  /** Sorted and looked up with numbers by value: A.5.2 comes before A.5.10, and NC-7 looks like NC-07. */
  naturalOrder?: true;
  /** A date or time of something that has happened. It can't be after today. */
  isPastFact?: true;
  /** The change history leaves it out. */
  excludedFromHistory?: true;
  /** Left out of short tables. */
  detail?: true;
}

/** A field of a record. */
export type Field = FieldFacts &
  (
    | { kind: 'name' | 'text' | 'longText' | 'url' | 'sha256' | 'date' | 'boolean' | 'account' }
    /** A time in UTC, or a date if the time of day isn't known. A date is found and sorted as the end of its day. */
    | { kind: 'time' }
    /** Ids of records of all families but the one with this prefix. */
    | { kind: 'ids'; exceptPrefix: string; maxItems: number }
    /** A rating is 1 to 5, a score 1 to 25, a share 0 to 1. */
    | { kind: 'rating' | 'score' | 'share' }
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

/** A filter of lists that isn't a field's own. It compares a stored key: a field's, or one computed by the family. */
export type KeyFilter = {
  /** The words on pages, if the name doesn't say enough. */
  label?: string;
  note?: string;
  /** The fields that it is about, if its key isn't a field. A SUMMARY shows the fields that its filter is about. */
  about?: readonly string[];
} & (
  | { kind: 'date' | 'time'; test: 'BEFORE' | 'AFTER'; key: string }
  | { kind: 'date'; test: 'WITHIN'; key: string; untilKey: string }
  | { kind: 'score'; test: 'AT_LEAST' | 'AT_MOST'; key: string }
  | { kind: 'rating'; test: 'EQUAL'; key: string }
  /**
   * EQUAL compares with the key's 0 or 1. NEVER: the key stands for a time that never was. PAST: its date is before the day
   * of the read.
   */
  | { kind: 'boolean'; test: 'EQUAL' | 'NEVER' | 'PAST'; key: string }
);

/** The states of a record, and the transitions that an update may make. */
export interface Workflow {
  /** The field that holds the state. */
  field: 'state' | 'status';
  /** The states that may follow each state. A list holds those that may follow any other. */
  transitions: Readonly<Record<string, readonly string[]>> | readonly string[];
  /** The transitions that must give a reason. BACKWARDS: to an earlier one of the field's values. */
  needsReason?: 'ALWAYS' | 'BACKWARDS';
  /** The fields that a state requires. */
  needs?: Readonly<Record<string, readonly string[]>>;
  /** The next step, shown when a transition is refused. */
  hint?: string;
  /** The states of a new record, if not all, and the next step for the others. */
  first?: { states: readonly string[]; hint: string };
}

/** Something that falls due: a line of the report of due items. */
export interface DueItem {
  /** The value of the column `what` in reports. It is permanent. */
  name: string;
  label: string;
  /** The label of the items past their date, if it is another. */
  overdueLabel?: string;
  /** Says exactly which dates count. */
  meaning: string;
  /** Says what it asks of the owner. It is shown before the date and after it, so it must be right for both. */
  request: string;
  /** The field that holds the date. `acceptance.until` is a member of an object. */
  date: string;
  /** The stored key that holds the date as long as it matters, if not the field's own. */
  key?: string;
  /** The records that count, as a filter of lists. */
  filter?: Readonly<Record<string, readonly string[]>>;
}

/** The values of the filter `missing`. Each family has some of them. */
export const MISSING_OPTIONS = ['OWNER', 'SCORE', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'] as const;
export type MissingOption = (typeof MISSING_OPTIONS)[number];

/** A family's names. Its streams are called `<singular>-<id>`. */
export interface FamilyNames<Type extends string = string, Title extends string = string> {
  /** The family's name on the wire: VENDOR. */
  type: Type;
  /** The part of tool, command and event names: Vendor. */
  title: Title;
  singular: string;
  /** The plural, such as `vendors`. The read model's collection has this name too. */
  plural: string;
  /** The prefix of its ids, without the underscore: vnd. */
  prefix: string;
}

/** The types of the commands that most families have. */
export interface CommonCommandTypes {
  add: string;
  /** Absent if the records' fields never change. */
  update?: string;
}

/** The types of the events that most families have. */
export interface CommonEventTypes {
  /** The first event, such as FrameworkAdopted. Absent if it is in another stream. */
  added?: string;
  /** Absent, as `ownerAssigned`, if the family has no updates. */
  detailsChanged?: string;
  ownerAssigned?: string;
  archived: string;
  restored: string;
}

/** A tool, and an example input without the id and organization_id. */
export interface FamilyTool {
  name: string;
  /** The tool's name for people. */
  title: string;
  /** Published as idempotentHint: the same call again changes nothing more. */
  idempotent?: boolean;
  description: string;
  example: Readonly<Record<string, unknown>>;
}

/** A family of records, described once. */
export interface FamilyDescription extends FamilyNames {
  /** In the order in which tools and people see them. */
  fields: Fields;
  /** All events of the family, by type. */
  events: EventSchemas;
  commands: CommonCommandTypes;
  commonEvents: CommonEventTypes;
  workflow?: Workflow;
  /** Fields that lists can be sorted by, in addition to created_at and updated_at. The first is the default. */
  orders: readonly [string, ...string[]];
  /** The default order descends. */
  descending?: true;
  /** Keys that most lists filter by one value. Each is the first key of an index. */
  leadingIndexKeys?: readonly string[];
  filters?: Readonly<Record<string, KeyFilter>>;
  /** `filters` leave out records with this value, unless a list asks for it. */
  filtersLeaveOut?: { field: string; value: string };
  /** The values of the filter `missing`. */
  missing: readonly MissingOption[];
  /** The fields of view SUMMARY after id, in order. Texts are cut. */
  summary: readonly string[];
  /** Families whose records can be linked with this one's. A link is stated in one of the two. */
  links?: readonly string[] | 'EVERY_FAMILY';
  /** The text whose beginning names a record, if it has no name. Its reference_id comes first. */
  titleField?: string;
  /** By event type: the field of its data that states a date, such as reviewed_at of VendorReviewed. */
  effectiveDates?: Readonly<Record<string, string>>;
  /** Linked records count it by this field too. */
  countedBy?: string;
  dueItems?: readonly DueItem[];
  figures: FamilyFigures;
  /** Says what a file of its records has. */
  aboutFile: string;
  /** importRecords takes it. */
  importable?: true;
  /**
   * A decision that was made before the record was imported. A row brings it by one of these states, and describes it by
   * fields that only rows have. It has an event of its own.
   */
  pastDecision?: { states: readonly string[]; fields: Fields };
  /**
   * By field: other headings that its column has in people's spreadsheets, the best first, in lower case, with commas
   * between them. The field's own name and label, and the headings of every owner, needn't be repeated.
   */
  headings?: Readonly<Record<string, string>>;
  /** The tools that it has of those that work alike in all families. */
  tools: { list?: FamilyTool; add?: FamilyTool; update?: FamilyTool };
}

/** The type of a field's value. */
export type ValueOf<F> = F extends { kind: 'enum'; values: readonly (infer Value)[] }
  ? Value
  : F extends { kind: 'object'; fields: infer Members }
    ? { -readonly [Name in keyof Members as Members[Name] extends Computed ? never : Name]: Stored<Members[Name]> }
    : F extends { kind: 'ids' }
      ? readonly string[]
      : F extends { kind: 'boolean' }
        ? boolean
        : F extends { kind: 'rating' | 'score' | 'share' }
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

/** The member who answers for a record. */
export const OWNER_FIELD = { kind: 'account', label: 'Owner', hasOwnEvent: true } as const;

/** Headings of the owner's column in people's spreadsheets, in all families. */
export const OWNER_HEADINGS =
  'responsible, responsible person, assigned to, assignee, accountable, owned by, person in charge, responsibility, verantwortlich, verantwortlicher, verantwortliche person, zuständig, eigentümer, eigner, responsable, propriétaire';

/** The state of a record. Each transition has an event of its own. */
export const STATE_FIELD = { kind: 'enum', hasOwnEvent: true, filter: true } as const;

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
