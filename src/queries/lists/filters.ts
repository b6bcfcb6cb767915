import { MIN_DATE } from '../../commands/engine/dates.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AnyFamily } from '../../commands/families.ts';
import { accountOf } from '../../commands/organization/caller.ts';
import { exactTextKey } from '../../projections/read-models/family-model.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import { fieldPrefixes, queryWords } from '../../projections/read-models/search-words.ts';
import type { KeyFilter, MissingOption } from '../../register/family-description.ts';
import type { Field } from '../../register/field.ts';
import type { Condition, Scalar } from '../../stores/read-store.ts';
import { type Moment, recordIdCondition, versionConditions } from '../moments/moment.ts';

/**
 * Turns the `filter` of a list into conditions on stored keys. The tool's input is `listInput` of
 * src/tools/schema/family-schema.ts. The stores make SQL or a MongoDB query from the conditions:
 * src/stores/sqlite/read-sql.ts, src/stores/mongodb/query.ts.
 */

/** Each word becomes a condition. SQLite allows an expression depth of 1,000. */
const MAX_QUERY_WORDS = 100;

/** The read's day, the caller, and the whole filter, because one filter can depend on another. */
interface FilterContext {
  today: string;
  account_id: string;
  filter: Record<string, unknown>;
  /** The accounts that own records of `missing: OWNER_GONE`. Only lists read them. */
  formerMembers?: readonly string[];
}

/** Turns one filter's value into conditions on stored keys. All must hold. */
export type Filter = (value: never, context: FilterContext) => Condition[];

/** The filters by linked records. `linkConditions` reads the links that they need. */
const LINK_FILTERS = ['linked_to', 'linked_framework_id', 'relation'];

/** Returns true if a filter finds records by their links. */
export function hasLinkFilter(filter: Readonly<Record<string, unknown>>): boolean {
  return LINK_FILTERS.some((name) => filter[name] !== undefined);
}

/** Returns the conditions of a filter, without those on links, in the order in which the store shall check them. */
export function listConditions(
  family: { readonly filters: Readonly<Record<string, Filter>> },
  moment: Moment,
  context: FilterContext,
): Condition[] {
  const { query, ids, owner_id, missing, updated_since, include_archived, ...others } = context.filter;
  // The store checks conditions in this order, so the most selective ones come first.
  const where: Condition[] = [];
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined && !LINK_FILTERS.includes(name))
      where.push(...family.filters[name]!(value as never, context));
  }
  if (ids !== undefined) where.push(recordIdCondition(ids as string[], moment));
  if (owner_id !== undefined) where.push(keyIn('owner_id', accountIds(owner_id as string[], context)));
  for (const fact of (missing as MissingOption[] | undefined) ?? [])
    where.push(MISSING_OPTION_CONDITIONS[fact](context));
  if (updated_since !== undefined) where.push({ key: 'updated_at', op: 'range', gte: String(updated_since) });
  if (moment.position !== null) where.push(...versionConditions(moment.position));
  if (!include_archived) where.push({ key: 'archived', op: 'eq', value: 0 });
  if (query !== undefined) where.push(...queryConditions(String(query), moment));
  return where;
}

/**
 * Returns the conditions for records that have every word of a query, padded numbers in either form. A query of signs only
 * finds nothing, an empty one everything.
 */
export function queryConditions(query: string, moment: Moment): Condition[] {
  if (query === '') return [];
  const words = queryWords(query);
  if (words.length === 0) return [recordIdCondition([], moment)];
  requireFewWords('query', words.length);
  const prefixes = words.flatMap((alternatives) => (alternatives.length === 1 ? alternatives : []));
  const padded = words.filter((alternatives) => alternatives.length > 1);
  return [
    ...(prefixes.length > 0 ? [{ op: 'words', prefixes } as const] : []),
    ...padded.map(
      (alternatives) => ({ op: 'anyWords', alternatives: alternatives.map((prefix) => [prefix]) }) as const,
    ),
  ];
}

/** @throws Refusal for a filter with too many words */
function requireFewWords(filter: string, words: number): void {
  if (words <= MAX_QUERY_WORDS) return;
  const message = `${filter} has ${words} different words. Use at most ${MAX_QUERY_WORDS}. In a script without spaces each pair of letters counts.`;
  throw new Refusal('invalid_input', message, { field: `filter.${filter}` });
}

function accountIds(ids: readonly string[], context: FilterContext): string[] {
  return ids.map((id) => accountOf(id, context));
}

const MISSING_OPTION_CONDITIONS: Record<MissingOption, (context: FilterContext) => Condition> = {
  OWNER: () => ({ key: 'owner_id', op: 'empty' }),
  OWNER_GONE: ({ formerMembers = [] }) => keyIn('owner_id', formerMembers),
  SCORE: () => ({ key: 'score', op: 'empty' }),
  MEASURES: () => ({ key: 'measures', op: 'empty' }),
  CONTROLS: () => ({ key: 'controls', op: 'empty' }),
  RISKS: () => ({ key: 'risks', op: 'empty' }),
  EVIDENCE: ({ today }) => ({ key: 'evidence_until', op: 'range', lt: today }),
  ROOT_CAUSE: () => ({ key: 'root_cause', op: 'empty' }),
};

/** Returns the filters of a family's own: those of its fields, and those of its keys. */
export function filtersOf(family: AnyFamily): Record<string, Filter> {
  const { fields, filters = {}, orders } = family;
  const byField = Object.entries(fields).filter(([, { filter }]) => filter);
  return Object.fromEntries([
    ...byField.map(([name, field]) => [name, fieldFilter(name, field, orders.includes(name))]),
    ...Object.entries(filters).map(([name, filter]) => [name, keyFilter(filter, family)]),
  ]);
}

/**
 * Returns, by filter, the fields that it is about, so that a SUMMARY can show them. updated_since is about updated_at, and
 * `missing.EVIDENCE` about the number of valid evidence.
 */
export function filteredFieldsOf({ fields, filters = {} }: AnyFamily): Record<string, readonly string[]> {
  const names = Object.keys(fields);
  const ownFields = names.filter((name) => fields[name]!.filter);
  return {
    ...Object.fromEntries(ownFields.map((name) => [name, [name]])),
    ...Object.fromEntries(Object.entries(filters).map(([name, { key, about }]) => [name, about ?? [key]])),
    updated_since: ['updated_at'],
    'missing.EVIDENCE': names.filter((name) => fields[name]!.kind === 'validCount'),
  };
}

/** Returns, by filter on a text, the stored key of the whole text. */
export function textFilterKeysOf({ fields }: AnyFamily): Record<string, string> {
  const texts = Object.entries(fields).filter(([, { kind, filter }]) => kind === 'name' && filter);
  return Object.fromEntries(texts.map(([name, field]) => [name, textFilterKey(name, field)]));
}

const textFilterKey = (name: string, { naturalOrder }: Field): string => (naturalOrder ? exactTextKey(name) : name);

/** Matches any of the values; texts without case and accents. */
function fieldFilter(name: string, field: Field, isSorted: boolean): Filter {
  switch (field.kind) {
    case 'past':
      return (isPast: boolean, { today }) => [pastCondition(field.key, isPast, today)];
    case 'boolean':
      return (value: boolean) => [{ key: name, op: 'eq', value: Number(value) }];
    case 'name': {
      if (typeof field.filter === 'object' && 'byWords' in field.filter) return wordFilter(name);
      const key = textFilterKey(name, field);
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

/** Matches a text that has all words of any of the values. A value without a word, such as "§", must be the whole text. */
function wordFilter(name: string): Filter {
  return (values: readonly string[]) => {
    const alternatives = values.flatMap((value) => wordsOfValue(value).map((words) => fieldPrefixes(name, words)));
    requireFewWords(name, alternatives.flat().length);
    if (alternatives.every((prefixes) => prefixes.length > 0)) return [{ op: 'anyWords', alternatives }];
    return [
      keyIn(
        name,
        values.map((value) => textKey(value) ?? ''),
      ),
    ];
  };
}

/** Returns the prefixes of a value's words: with padded numbers as they are typed, and as whole numbers if it has some. */
function wordsOfValue(value: string): string[][] {
  const words = queryWords(value);
  const typed = words.map(([prefix]) => prefix!);
  const isPadded = words.some((alternatives) => alternatives.length > 1);
  return isPadded ? [typed, words.map((alternatives) => alternatives.at(-1)!)] : [typed];
}

function keyFilter(filter: KeyFilter, { fields, filtersLeaveOut }: AnyFamily): Filter {
  if (filtersLeaveOut === undefined) return (value, { today }) => keyConditions(filter, value, today);
  const { field, value: leftOut } = filtersLeaveOut;
  const excludedField = fields[field]!;
  const includedValues = excludedField.kind === 'enum' ? excludedField.values.filter((value) => value !== leftOut) : [];
  return (value, { today, filter: all }) => {
    const conditions = keyConditions(filter, value, today);
    // A filter by the field itself says which values are wanted.
    return all[field] === undefined ? [...conditions, keyIn(field, includedValues)] : conditions;
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
    case 'NEVER':
      return [value ? { key, op: 'eq', value: MIN_DATE } : { key, op: 'range', gt: MIN_DATE }];
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
