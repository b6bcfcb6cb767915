import type { EventSchemas, NewestMembers } from './event-schema.ts';
import type { Computed, EnumValueOf, Field, Fields, MemberName, ValueOf } from './field.ts';
import type { FamilyFigures } from './figure.ts';

/*
 * The words in which families are described. A description is plain data. Its types know the names of its own fields,
 * events, keys and filters: see `Described`. Readers, which take any family, see those names as strings.
 */

/** Some of these members. Of any family, all that there are. */
type Some<T> = string extends keyof T ? Readonly<T> : Readonly<Partial<T>>;

/** A filter of lists that isn't a field's own. It compares a stored key: a field's, or one computed by the family. */
export type KeyFilter<FieldName extends string = string, Key extends string = string> = {
  /** The words on pages, if the name doesn't say enough. */
  label?: string;
  note?: string;
  /** The fields that it is about, if its key isn't a field. A SUMMARY shows the fields that its filter is about. */
  about?: readonly FieldName[];
  key: FieldName | Key;
} & (
  | { kind: 'date' | 'time'; test: 'BEFORE' | 'AFTER' }
  | { kind: 'date'; test: 'WITHIN'; untilKey: FieldName | Key }
  | { kind: 'score'; test: 'AT_LEAST' | 'AT_MOST' }
  | { kind: 'rating'; test: 'EQUAL' }
  /**
   * EQUAL compares with the key's 0 or 1. NEVER: the key stands for a time that never was. PAST: its date is before the day
   * of the read.
   */
  | { kind: 'boolean'; test: 'EQUAL' | 'NEVER' | 'PAST' }
);

/** The filters of a family's lists that compare keys, by name. */
export type KeyFilters<F extends Fields = Fields, Keys extends readonly string[] = readonly string[]> = Readonly<
  Record<string, KeyFilter<MemberName<F>, Keys[number]>>
>;

type StateFieldOf<F> = MemberName<F> & ('state' | 'status');
type StatesOf<F> = EnumValueOf<F[StateFieldOf<F>]>;

/** The states of a record, and the transitions that an update may make. */
export interface Workflow<F extends Fields = Fields> {
  field: StateFieldOf<F>;
  /** The states that may follow each state. A list holds those that may follow any other. */
  transitions: Readonly<Record<StatesOf<F>, readonly StatesOf<F>[]>> | readonly StatesOf<F>[];
  /** The field's values are steps of the work, so an earlier one is a step back. */
  isOrdered?: true;
  /** The fields that a state requires. */
  needs?: Some<Record<StatesOf<F>, readonly MemberName<F>[]>>;
  /** The states in which nothing is left to do for the owner. */
  finished?: readonly StatesOf<F>[];
  /** The next step, shown when a transition is refused. */
  hint?: string;
  /** The states of a new record, if not all, and the next step for the others. */
  first?: { states: readonly StatesOf<F>[]; hint: string };
}

/** Something that falls due: a line of the report of due items. */
export interface DueItem<F extends Fields = Fields, Key extends string = string> {
  /** The value of the column `what` in reports. It is permanent. */
  name: string;
  label: string;
  /** Came after the first reports. They leave it out while it has no items, so those of past moments keep their digests. */
  isLater?: true;
  /** The label of the items past their date, if it is another. */
  overdueLabel?: string;
  /** Says exactly which dates count. */
  meaning: string;
  /** Says what it asks of the owner. It is shown before the date and after it, so it must be right for both. */
  request: string;
  /** The field that holds the date. `acceptance.until` is a member of an object. */
  date: PathOf<F>;
  /** The stored key that holds the date as long as it matters, if not the field's own. */
  key?: MemberName<F> | Key;
  /** The records that count, as a filter of lists. */
  filter?: Some<{ [Name in MemberName<F>]: readonly EnumValueOf<F[Name]>[] }>;
}

type PathOf<F extends Fields> = {
  [Name in MemberName<F>]: F[Name] extends { kind: 'object'; fields: infer Members }
    ? `${Name}.${MemberName<Members>}`
    : Name;
}[MemberName<F>];

/** The values of the filter `missing`. Each family has some of them. OWNER_GONE: the owner is no longer a member. */
export const MISSING_OPTIONS = [
  ...['OWNER', 'OWNER_GONE', 'SCORE', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'],
] as const;
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
  /** Sets fields. Without a tool for it, only importRecords sends it. */
  update?: string;
  /** Takes back the newest decision: see `withdrawal`. */
  withdraw?: string;
}

/** The types of the events that most families have. */
export interface CommonEventTypes<EventName extends string = string> {
  /** The first event, such as FrameworkAdopted. Absent if it is in another stream. */
  added?: EventName;
  /** Absent if only the owner can change. */
  detailsChanged?: EventName;
  ownerAssigned?: EventName;
  /** The event of `reviewed: true`, if it is no other decision. */
  reviewed?: EventName;
  archived: EventName;
  restored: EventName;
  /** A call was undone on the record. */
  undone: EventName;
  /** The newest decision was withdrawn. */
  withdrawn?: EventName;
}

/** A tool, and an example input without the id and organization_id. */
export interface FamilyTool<Example = Readonly<Record<string, unknown>>> {
  name: string;
  /** The tool's name for people. */
  title: string;
  /** Published as idempotentHint: the same call again changes nothing more. */
  idempotent?: boolean;
  description: string;
  example: Example;
}

/** Fields that lists can be sorted by. */
type SortableOf<F> = MemberName<F> | 'created_at' | 'updated_at';

/** Examples, with values of the fields' types. */
type Example<F> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in keyof F]?: ValueOf<F[Name]> } & { readonly reason?: string };
type AddExample<F> = Example<{
  [Name in keyof F as F[Name] extends Computed | { setBy: 'COMMAND' } ? never : Name]: F[Name];
}>;
type UpdateExample<F> = Example<{
  [Name in keyof F as F[Name] extends Computed | { setBy: string } ? never : Name]: F[Name];
}>;
type ListExample<F, Filters> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : {
      readonly filter?: {
        readonly [Name in MemberName<F> as F[Name] extends { filter: unknown } ? Name : never]?: FilterValueOf<F[Name]>;
      } & { readonly [Name in MemberName<Filters>]?: string | number | boolean } & {
        readonly owner_id?: readonly string[];
      };
      readonly order_by?: { field: SortableOf<F> };
      readonly size?: number;
    };
type FilterValueOf<F> = F extends { kind: 'boolean' | 'past' } ? boolean : readonly ValueOf<F>[];

/** Refuses names in fields that are none of the family's. */
type Checked<F extends Fields, E, Key extends string> = {
  readonly [Name in MemberName<F>]: F[Name] extends { kind: 'past' }
    ? { key: Key }
    : F[Name] extends { kind: 'position' }
      ? { of: MemberName<E> }
      : F[Name] extends { kind: 'enum'; labels: object }
        ? { labels: { readonly [Value in EnumValueOf<F[Name]>]: string } }
        : Field;
};

/**
 * A family of records, described once. Its parameters are the parts of the description in which names are defined: see
 * `Described`.
 */
export interface FamilyDescription<
  F extends Fields = Fields,
  E extends EventSchemas = EventSchemas,
  Keys extends readonly string[] = readonly string[],
  Filters extends KeyFilters<F, Keys> = KeyFilters<F, Keys>,
> extends FamilyNames {
  /** In the order in which tools and people see them. */
  fields: F & Checked<F, E, Keys[number]>;
  events: E;
  commands: CommonCommandTypes;
  commonEvents: CommonEventTypes<MemberName<E>>;
  workflow?: Workflow<F>;
  /** Stored keys that no field holds. The family's rules compute them: see `keys` of `defineFamily`. */
  computedKeys?: Keys;
  /** Fields that lists can be sorted by, in addition to created_at and updated_at. The first is the default. */
  orders: readonly [SortableOf<F>, ...SortableOf<F>[]];
  /** The default order descends. */
  descending?: true;
  /** An update may say `reviewed: true`: somebody looked at the record and found it right. */
  reviewable?: true;
  /** Keys that most lists filter by one value. Each is the first key of an index. */
  leadingIndexKeys?: readonly (MemberName<F> | Keys[number])[];
  filters?: Filters;
  /** `filters` leave out records with this value, unless a list asks for it. */
  filtersLeaveOut?: { [Name in MemberName<F>]: { field: Name; value: EnumValueOf<F[Name]> } }[MemberName<F>];
  missing: readonly MissingOption[];
  /** The fields of view SUMMARY after id, in order. Texts are cut. */
  summary: readonly MemberName<F>[];
  /** Families whose records can be linked with this one's. A link is stated in one of the two. */
  links?: readonly string[] | 'EVERY_FAMILY';
  /** The text whose beginning names a record, if it has no name. Its reference_id comes first. */
  titleField?: MemberName<F>;
  /** By event type: the field of its data that states a date, such as reviewed_at of VendorReviewed. */
  effectiveDates?: Some<{ [Type in MemberName<E>]: MemberName<NewestMembers<E[Type]>> }>;
  /** The same, for times that are usually that of the recording. Any other time is one that somebody stated. */
  statedTimes?: Some<{ [Type in MemberName<E>]: MemberName<NewestMembers<E[Type]>> }>;
  /** Linked records count it by this field too. */
  countedBy?: MemberName<F>;
  dueItems?: readonly DueItem<F, Keys[number]>[];
  figures: FamilyFigures<F, Keys>;
  /** Says what a file of its records has. */
  aboutFile: string;
  /** importRecords takes it. */
  importable?: true;
  /**
   * A decision that was made before the record was imported. A row brings it by one of these states, and describes it by
   * fields that only rows have. It has an event of its own.
   */
  pastDecision?: { states: readonly StatesOf<F>[]; fields: Fields };
  /** The decision of which the newest can be withdrawn: its noun, the events that record one, and the tool that withdraws it. */
  withdrawal?: { noun: string; of: readonly MemberName<E>[]; tool: string };
  /**
   * Decisions and the events that record them, besides archiving, undoing and those by `firstDecisions`. A credential may
   * have to propose them, and an organization may put them under four eyes.
   */
  decisions?: Readonly<Record<string, readonly MemberName<E>[]>>;
  /** The states of a new record that are decisions, if not those in which nothing is left to do. */
  firstDecisions?: readonly StatesOf<F>[];
  /** The tools that it has of those that work alike in all families. */
  tools: {
    list?: FamilyTool<ListExample<F, Filters>>;
    add?: FamilyTool<AddExample<F>>;
    update?: FamilyTool<UpdateExample<F>>;
  };
}

/**
 * The type of a description whose names are checked. A name that is none of its fields, events, keys or filters doesn't
 * compile, and the compiler suggests one.
 */
export type Described<
  F extends Fields,
  E extends EventSchemas,
  Keys extends readonly string[] = readonly [],
  Filters extends KeyFilters<F, Keys> = Readonly<Record<never, never>>,
> = FamilyDescription<F, E, Keys, Filters>;
