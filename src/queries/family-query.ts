import { idPrefix } from '../commands/engine/ids.ts';
import type { AnyFamily } from '../commands/families.ts';
import { FAMILY_MODELS } from '../projections/models.ts';
import { lookalikeKey } from '../projections/read-models/family-model.ts';
import type { Key } from '../projections/read-models/key-builders.ts';
import { historyOf, keysOf, ordersOf, type ReadModel } from '../projections/read-models/read-model.ts';
import { type RelatedCounts, relatedCountFrom } from '../projections/relations/related-counts.ts';
import type { FamilyNames, MissingOption } from '../register/family-description.ts';
import type { Fields } from '../register/field.ts';
import { type Filter, filteredFieldsOf, filtersOf, textFilterKeysOf } from './lists/filters.ts';

/** The reads of a family, as its description defines them. */
export interface FamilyQuery extends FamilyNames {
  model: ReadModel;
  /** The collection that holds every version of its records. */
  history: string;
  fields: Fields;
  /** The fields of view SUMMARY after id, in order. */
  summary: readonly string[];
  missingOptions: readonly MissingOption[];
  defaultOrder: { field: string; direction: 'ASC' | 'DESC' };
  orders: readonly string[];
  filters: Readonly<Record<string, Filter>>;
  /** By filter on a text: the stored key of its values. */
  textFilterKeys: Readonly<Record<string, string>>;
  /** By filter: the fields that view SUMMARY shows too while the filter is used. */
  filteredFields: Readonly<Record<string, readonly string[]>>;
  /** The stored keys that records rarely share on purpose, by name. A write that repeats one answers `similar`. */
  lookalikes: Readonly<Record<string, Key>>;
  /** Returns the fields that depend on the day, such as `overdue`. They are not stored. */
  dayFacts(document: Readonly<Record<string, unknown>>, today: string): Record<string, unknown>;
}

function familyQuery(model: ReadModel, family: AnyFamily): FamilyQuery {
  const { type, title, singular, plural, prefix, fields, summary, missing } = family;
  const keys = keysOf(model);
  const lookalikeFields = Object.keys(fields).filter((name) => fields[name]!.lookalike);
  const lookalikeKeys = lookalikeFields.map((name) => lookalikeKey(name, fields[name]!));
  return {
    type,
    title,
    singular,
    plural,
    prefix,
    model,
    history: historyOf(plural),
    fields,
    summary,
    missingOptions: missing,
    defaultOrder: { field: family.orders[0], direction: family.descending ? 'DESC' : 'ASC' },
    orders: ordersOf(model),
    filters: filtersOf(family),
    textFilterKeys: textFilterKeysOf(family),
    filteredFields: filteredFieldsOf(family),
    lookalikes: Object.fromEntries(lookalikeKeys.map((name) => [name, keys[name]!])),
    dayFacts: dayFactsOf(fields, keys),
  };
}

const QUERIES_BY_TYPE = new Map<string, FamilyQuery>(
  FAMILY_MODELS.map(({ model, family }) => [family.type, familyQuery(model, family)]),
);

/** The families' reads by id prefix. */
export const FAMILY_QUERIES: Readonly<Record<string, FamilyQuery>> = Object.fromEntries(
  [...QUERIES_BY_TYPE.values()].map((query) => [query.prefix, query]),
);

/** Returns the reads of a record's family by its id. */
export function familyQueryFor(id: string): FamilyQuery {
  return FAMILY_QUERIES[idPrefix(id) ?? '']!;
}

/** Returns the reads of a family. @throws TypeError for an unknown type */
export function familyQueryOfType(type: string): FamilyQuery {
  const query = QUERIES_BY_TYPE.get(type);
  if (query === undefined) throw new TypeError(`there is no family ${type}`);
  return query;
}

/** A fact of the day: a date that is past, or the number of linked records that are valid. */
type DayFact = (document: Readonly<Record<string, unknown>>, today: string) => boolean | number;

/** Returns the function that computes a record's facts of the day. A fact of an object's member is in the object. */
function dayFactsOf(fields: Fields, keys: ReturnType<typeof keysOf>): FamilyQuery['dayFacts'] {
  const facts: { name: string; member: string | null; factOf: DayFact }[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === 'past') facts.push({ name, member: null, factOf: isPast(keys[field.key]!) });
    if (field.kind === 'validCount') facts.push({ name, member: null, factOf: validCount(field.of) });
    if (field.kind !== 'object') continue;
    for (const [member, inner] of Object.entries(field.fields)) {
      if (inner.kind === 'past') facts.push({ name, member, factOf: isPast(keys[inner.key]!) });
    }
  }
  return (document, today) => {
    const values: Record<string, unknown> = {};
    for (const { name, member, factOf } of facts) {
      if (member === null) values[name] = factOf(document, today);
      else if (document[name]) values[name] = { ...(document[name] as object), [member]: factOf(document, today) };
    }
    return values;
  };
}

function isPast(key: Key): DayFact {
  return (document, today) => String(key.of(document)) < today;
}

/** Counts linked records that carry a label with a last valid day, such as EVIDENCE_UNTIL:2026-12-31. */
function validCount(label: string): DayFact {
  return ({ related_counts: relatedCounts }, today) =>
    relatedCountFrom((relatedCounts ?? {}) as RelatedCounts, label, today);
}
