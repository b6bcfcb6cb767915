import { idPrefix } from '../commands/engine/ids.ts';
import type { AnyFamily } from '../commands/families.ts';
import { FAMILY_MODELS } from '../projections/models.ts';
import { exactTextKey } from '../projections/read-models/family-model.ts';
import type { Key } from '../projections/read-models/key-builders.ts';
import { keysOf, ordersOf, type ReadModel } from '../projections/read-models/read-model.ts';
import { textKey } from '../projections/read-models/search-text.ts';
import type { FamilyNames, Field, Fields, KeyFilter, MissingOption } from '../register/field.ts';
import type { Condition, Scalar } from '../stores/read-store.ts';

/** The read's day, the caller, and the whole filter, because one filter can depend on another. */
export interface FilterContext {
  today: string;
  account_id: string;
  filter: Record<string, unknown>;
}

/** Turns a filter's value into conditions on stored keys. All must hold. */
type Filter = (value: never, context: FilterContext) => Condition[];

/** The reads of a family, as its description defines them. */
export interface FamilyQuery extends FamilyNames {
  model: ReadModel;
  fields: Fields;
  /** The fields of view SUMMARY after id, in order. */
  summary: readonly string[];
  missingOptions: readonly MissingOption[];
  defaultOrder: { field: string; direction: 'ASC' | 'DESC' };
  orders: readonly string[];
  filters: Readonly<Record<string, Filter>>;
  /** Fields that records rarely share on purpose. An add that repeats one answers `similar`. */
  lookalikeFields: readonly string[];
  /** Returns the fields that depend on the day, such as `overdue`. They are not stored. */
  dayFacts(document: Readonly<Record<string, unknown>>, today: string): Record<string, unknown>;
}

function familyQuery(model: ReadModel, family: AnyFamily): FamilyQuery {
  const { type, title, singular, plural, prefix, fields, summary, missing } = family;
  return {
    type,
    title,
    singular,
    plural,
    prefix,
    model,
    fields,
    summary,
    missingOptions: missing,
    defaultOrder: { field: family.orders[0], direction: family.descending ? 'DESC' : 'ASC' },
    orders: ordersOf(model),
    filters: filtersOf(family),
    lookalikeFields: Object.keys(fields).filter((name) => fields[name]!.lookalike),
    dayFacts: dayFactsOf(fields, model),
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

/** The conditions of the filter `missing`, by what is missing. */
export const MISSING_OPTION_CONDITIONS: Record<MissingOption, (today: string) => Condition> = {
  OWNER: () => ({ key: 'owner_id', op: 'empty' }),
  SCORE: () => ({ key: 'score', op: 'empty' }),
  MEASURES: () => ({ key: 'measures', op: 'empty' }),
  CONTROLS: () => ({ key: 'controls', op: 'empty' }),
  RISKS: () => ({ key: 'risks', op: 'empty' }),
  EVIDENCE: (today) => ({ key: 'evidence_until', op: 'range', lt: today }),
  ROOT_CAUSE: () => ({ key: 'root_cause', op: 'empty' }),
};

/** Returns the filters of a family's lists: those of its fields, and those of its keys. */
function filtersOf({ fields, filters = {}, orders }: AnyFamily): Record<string, Filter> {
  const byField = Object.entries(fields).filter(([, { filter }]) => filter);
  return Object.fromEntries([
    ...byField.map(([name, field]) => [name, fieldFilter(name, field, orders.includes(name))]),
    ...Object.entries(filters).map(([name, filter]) => [name, keyFilter(filter, fields)]),
  ]);
}

/** Matches any of the values; texts without case and accents. */
function fieldFilter(name: string, field: Field, isSorted: boolean): Filter {
  switch (field.kind) {
    case 'past':
      return (isPast: boolean, { today }) => [pastCondition(field.key, isPast, today)];
    case 'boolean':
      return (value: boolean) => [{ key: name, op: 'eq', value: Number(value) }];
    case 'name': {
      const key = field.naturalOrder ? exactTextKey(name) : name;
      return (values: readonly string[]) => [
        keyIn(
          key,
          values.map((value) => textKey(value) ?? ''),
        ),
      ];
    }
    case 'enum':
      // A sorted key holds the value's rank.
      if (isSorted) {
        return (values: readonly string[]) => [
          keyIn(
            name,
            values.map((value) => field.values.indexOf(value)),
          ),
        ];
      }
      return (values: readonly string[]) => [keyIn(name, values)];
    default:
      return (values: readonly string[]) => [keyIn(name, values)];
  }
}

function keyFilter(filter: KeyFilter, fields: Fields): Filter {
  const { leavesOut } = filter;
  if (leavesOut === undefined) return (value, { today }) => keyConditions(filter, value, today);
  const { field, value: leftOut } = leavesOut;
  const excludedField = fields[field]!;
  const includedValues = excludedField.kind === 'enum' ? excludedField.values.filter((value) => value !== leftOut) : [];
  return (value, { today, filter: all }) => {
    const requestedValues = all[field] as readonly string[] | undefined;
    const conditions = keyConditions(filter, value, today);
    return requestedValues?.includes(leftOut) ? conditions : [...conditions, keyIn(field, includedValues)];
  };
}

function keyConditions(filter: KeyFilter, value: Scalar | boolean, today: string): Condition[] {
  const { key } = filter;
  switch (filter.test) {
    case 'BEFORE':
      return [{ key, op: 'range', lt: value as Scalar }];
    case 'AFTER':
      return [{ key, op: 'range', gt: value as Scalar }];
    case 'AT_LEAST':
      return [{ key, op: 'range', gte: value as Scalar }];
    case 'AT_MOST':
      return [{ key, op: 'range', lte: value as Scalar }];
    case 'WITHIN':
      return [
        { key, op: 'range', lte: value as Scalar },
        { key: filter.untilKey, op: 'range', gte: value as Scalar },
      ];
    case 'EQUAL':
      return [{ key, op: 'eq', value: Number(value) }];
    case 'EMPTY':
      return [{ key, op: value ? 'empty' : 'present' }];
    case 'PAST':
      return [pastCondition(key, value as boolean, today)];
  }
}

/** True matches dates before the read's day, false the others. Records without a date store MAX_DATE, so they count as not past. */
function pastCondition(key: string, isPast: boolean, today: string): Condition {
  return { key, op: 'range', ...(isPast ? { lt: today } : { gte: today }) };
}

export function keyIn(key: string, values: readonly Scalar[]): Condition {
  return values.length === 1 ? { key, op: 'eq', value: values[0]! } : { key, op: 'in', values };
}

/** Returns the function that finds which dates of a record are past. A fact of an object's member is in the object. */
function dayFactsOf(fields: Fields, model: ReadModel): FamilyQuery['dayFacts'] {
  const keys = keysOf(model);
  const facts: { name: string; member: string | null; key: Key }[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === 'past') facts.push({ name, member: null, key: keys[field.key]! });
    if (field.kind !== 'object') continue;
    for (const [member, inner] of Object.entries(field.fields)) {
      if (inner.kind === 'past') facts.push({ name, member, key: keys[inner.key]! });
    }
  }
  return (document, today) => {
    const past: Record<string, unknown> = {};
    for (const { name, member, key } of facts) {
      const isPast = String(key.of(document)) < today;
      if (member === null) past[name] = isPast;
      else if (document[name]) past[name] = { ...(document[name] as object), [member]: isPast };
    }
    return past;
  };
}
