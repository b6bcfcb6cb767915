/**
 * A vocabulary for stored data: types and required members, nothing else. Unknown members are allowed. Limits and lists
 * of values belong to commands, so that a limit that is tightened later never makes a stored event unreadable.
 */

/** Describes a value by its JSON type. `T` is its TypeScript type, which only the compiler sees. */
export interface ValueSchema<T = unknown> {
  readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object' | 'any';
  readonly nullable?: true;
  readonly items?: ValueSchema;
  readonly members?: MemberSchemas;
  /** Never set. Carries the TypeScript type. */
  readonly valueType?: T;
}

/** The schema of a member that may be absent. */
export interface OptionalSchema<T> extends ValueSchema<T> {
  readonly optional: true;
}

/** The members of an object, by name. */
export type MemberSchemas = Readonly<Record<string, ValueSchema & { readonly optional?: true }>>;

/** The schemas of an event's data, one for each schema version, the oldest first. */
export type EventVersions = readonly [MemberSchemas, ...MemberSchemas[]];

/** The events of a kind of stream, by type. */
export type EventSchemas = Readonly<Record<string, EventVersions>>;

type TypeOf<Schema> = Schema extends ValueSchema<infer T> ? T : never;
type OptionalNames<M> = { [Name in keyof M]: M[Name] extends { optional: true } ? Name : never }[keyof M];

/** The TypeScript type of an object with these members. */
export type DataOf<M extends MemberSchemas> = { [Name in Exclude<keyof M, OptionalNames<M>>]: TypeOf<M[Name]> } & {
  [Name in OptionalNames<M>]?: TypeOf<M[Name]>;
};

/** The members of an event's newest schema version. */
export type NewestMembers<Versions> = Versions extends readonly [...unknown[], infer Last extends MemberSchemas]
  ? Last
  : never;

/** The union of a stream's events, each with data of its newest schema version. */
export type EventOf<Schemas extends EventSchemas> = {
  [Type in keyof Schemas & string]: { type: Type; data: DataOf<NewestMembers<Schemas[Type]>> };
}[keyof Schemas & string];

/** Describes an event's data: one schema for each schema version, the oldest first. */
export function event<Versions extends EventVersions>(...versions: Versions): Versions {
  return versions;
}

/** Describes the data of an event that may also state the caller's reason. */
export function eventWithReason<Members extends MemberSchemas = Record<never, never>>(members?: Members) {
  return event({ ...(members as Members), reason: optional(string()) });
}

/** Describes the event of a review that leaves a record as it is. `next_review_due` is null if no next one is planned. */
export function reviewedEvent() {
  return eventWithReason({ last_reviewed: string(), next_review_due: nullable(string()) });
}

/**
 * Describes an event in which a time may be a date since schema version 2. Version 1 stored such a date as a time: see
 * `dates-as-times.ts`.
 */
export function eventWithDates<Members extends MemberSchemas>([members]: readonly [Members]): [Members, Members] {
  return [members, members];
}

export function string<T extends string = string>(): ValueSchema<T> {
  return { type: 'string' };
}

export function number(): ValueSchema<number> {
  return { type: 'number' };
}

export function boolean(): ValueSchema<boolean> {
  return { type: 'boolean' };
}

/** Describes a value of any JSON type, such as a field's value in a list of changed fields. */
export function anyValue<T = unknown>(): ValueSchema<T> {
  return { type: 'any' };
}

/** Describes a list. `List` is its TypeScript type if it says more than `items`, such as a pair. */
export function list<T, List extends readonly T[] = readonly T[]>(items: ValueSchema<T>): ValueSchema<List> {
  return { type: 'list', items };
}

export function object<M extends MemberSchemas>(members: M): ValueSchema<DataOf<M>> {
  return { type: 'object', members };
}

export function nullable<T>(schema: ValueSchema<T>): ValueSchema<T | null> {
  const { valueType: _none, ...plain } = schema;
  return { ...plain, nullable: true };
}

/** Describes a member that may be absent. */
export function optional<T>(schema: ValueSchema<T>): OptionalSchema<T> {
  return { ...schema, optional: true };
}

/** Describes the changed members of an object: any of them may be absent. */
export function changesOf<M extends MemberSchemas>(members: M): ValueSchema<Partial<DataOf<M>>> {
  const optionalMembers = Object.entries(members).map(([name, schema]) => [name, optional(schema)]);
  return { type: 'object', members: Object.fromEntries(optionalMembers) };
}
