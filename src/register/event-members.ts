import {
  boolean,
  event,
  list,
  nullable,
  number,
  type OptionalSchema,
  object,
  optional,
  string,
  type ValueSchema,
} from './event-schema.ts';
import type { Computed, Field, Fields, StateOf, Stored, ValueOf } from './field.ts';

/*
 * The members of the two events that hold a family's fields. A new field is a new member that may be absent. A field that
 * goes, gets another kind, or becomes required needs a new schema version. Write out the old version's members then.
 */

type StoredName<F> = { [Name in keyof F]: F[Name] extends Computed ? never : Name }[keyof F];

/** Fields that a first event can hold. Objects come from later events. */
type Added<F> = {
  [Name in keyof F as F[Name] extends Computed | { kind: 'object' } ? never : Name]: AddedMember<F[Name]>;
};
type AddedMember<F> = F extends { required: true } ? ValueSchema<ValueOf<F>> : OptionalSchema<ValueOf<F>>;

/** Fields that an update corrects. Decided ones have events of their own. */
type Corrected<F> = {
  [Name in keyof F as F[Name] extends Computed | { hasOwnEvent: true } | { setBy: string } ? never : Name]: Stored<
    F[Name]
  >;
};

/**
 * Returns the members of a record's first event, which leaves out what is empty. They follow from today's fields: a
 * field that becomes required would also be required of older events.
 */
export function addedMembers<F extends Fields>(fields: F): Added<F> {
  const members = Object.entries<Field>(fields)
    .filter(([, field]) => isStored(field) && field.kind !== 'object')
    .map(([name, field]) => [name, field.required ? schemaOf(field) : optional(schemaOf(field))]);
  return Object.fromEntries(members) as Added<F>;
}

/** Returns the schema of the corrected fields in an event such as VendorDetailsChanged. Any of them may be absent. */
export function correctedMembers<F extends Fields>(fields: F): ValueSchema<Partial<Corrected<F>>> {
  const members = correctedFields(fields).map((name) => {
    const field: Field = fields[name]!;
    return [name, optional(field.required ? schemaOf(field) : nullable(schemaOf(field)))];
  });
  return { type: 'object', members: Object.fromEntries(members) };
}

/** Returns the members of an object in an event. */
export function objectMembers<F extends Fields>(fields: F): { [Name in StoredName<F>]: ValueSchema<Stored<F[Name]>> } {
  const members = Object.entries<Field>(fields)
    .filter(([, field]) => isStored(field))
    .map(([name, field]) => [name, field.required ? schemaOf(field) : nullable(schemaOf(field))]);
  return Object.fromEntries(members) as { [Name in StoredName<F>]: ValueSchema<Stored<F[Name]>> };
}

/** Describes the event by which a call is undone on a record. A new field is a new member that may be absent. */
export function undoneEvent<F extends Fields>(fields: F) {
  return event({ call_id: string(), fields: restoredMembers(fields), reason: string() });
}

/** Returns the schema of the fields that an event sets back to what they were. Any of them may be absent. */
export function restoredMembers<F extends Fields>(fields: F): ValueSchema<Partial<StateOf<F>>> {
  const restorable = Object.entries<Field>(fields).filter(([, field]) => isStored(field) || field.kind === 'position');
  const members = restorable.map(([name, field]) => [name, optional(restoredMember(field))]);
  return { type: 'object', members: { ...Object.fromEntries(members), archived_at: optional(nullable(string())) } };
}

function restoredMember(field: Field): ValueSchema {
  if (field.kind === 'object') return nullable(object(objectMembers(field.fields)));
  return field.required ? schemaOf(field) : nullable(schemaOf(field));
}

/** Returns the fields whose changes are corrections, without an event of their own. */
export function correctedFields(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => {
    const field = fields[name]!;
    return isStored(field) && !field.hasOwnEvent && field.setBy === undefined;
  });
}

/** Returns true for a field of the state. Others follow from it, from linked records or from the day. */
export function isStored({ kind, derived }: Field): boolean {
  return !derived && !['count', 'validCount', 'past', 'position'].includes(kind);
}

function schemaOf({ kind }: Field): ValueSchema {
  switch (kind) {
    case 'boolean':
      return boolean();
    case 'rating':
    case 'score':
    case 'share':
    case 'months':
      return number();
    case 'ids':
      return list(string());
    default:
      return string();
  }
}
