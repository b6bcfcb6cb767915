import type { AnyFamily } from '../../commands/families.ts';
import type { Field } from '../../register/field.ts';
import { relatedCount } from '../relations/related-counts.ts';
import {
  computed,
  coveredByPrimaryIndexOnly,
  filterKey,
  type Key,
  naturalSortKey,
  numberFilterKey,
  similarTextKey,
  sortKey,
  stateKey,
  textFilterKey,
  textSortKey,
  timeSortKey,
} from './key-builders.ts';
import type { ReadModel } from './read-model.ts';
import { titleOf } from './search-text.ts';

/** Returns a family's read model. `special` has what doesn't follow from the family's description. */
export function familyModel(family: AnyFamily, special: Partial<ReadModel> = {}): ReadModel {
  const { countedBy } = family;
  const lookalikes = fieldsWith(family, ({ lookalike }) => lookalike).map((name) =>
    lookalikeKey(name, family.fields[name]!),
  );
  const naturallySorted = fieldsWith(family, ({ naturalOrder, filter }) => naturalOrder && filter);
  return {
    family,
    storedFields: fieldsWith(family, ({ kind }) => !['past', 'validCount', 'ids'].includes(kind)),
    ...pinnedPositionsOf(family),
    nameOf: nameOf(family),
    keys: { ...fieldKeys(family), ...computedKeys(family) },
    orders: family.orders,
    leadingIndexKeys: family.leadingIndexKeys ?? [],
    lookupKeys: [...lookalikes.filter((name) => !family.orders.includes(name)), ...naturallySorted.map(exactTextKey)],
    missingOptions: family.missing,
    searchFields: {
      short: fieldsWith(family, ({ search }) => search === 'SHORT'),
      long: fieldsWith(family, ({ search }) => search === 'LONG'),
    },
    wordFilterFields: fieldsWith(family, ({ filter }) => typeof filter === 'object' && 'byWords' in filter),
    effectiveDateFields: family.effectiveDates ?? {},
    statedTimeFields: family.statedTimes ?? {},
    ...(countedBy ? { exposedLabels: (document) => [`${family.type}:${document[countedBy]}`] } : {}),
    ...special,
    ...deriveOf(family, special),
  };
}

function fieldsWith({ fields }: AnyFamily, has: (field: Field) => unknown): string[] {
  return Object.keys(fields).filter((name) => has(fields[name]!));
}

function pinnedPositionsOf({ fields }: AnyFamily): Pick<ReadModel, 'pinnedPositions'> {
  const pinned = Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'position' ? [[field.of, name] as const] : [],
  );
  return pinned.length === 0 ? {} : { pinnedPositions: Object.fromEntries(pinned) };
}

/** Derived fields follow from the rules of the family and its relations, or count linked records. */
function deriveOf({ fields, facts }: AnyFamily, { derive }: Partial<ReadModel>): Pick<ReadModel, 'derive'> {
  const counts = Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'count' ? [[name, field.of] as const] : [],
  );
  if (counts.length === 0 && facts === undefined) return derive === undefined ? {} : { derive };
  return {
    derive: (state, relatedCounts) => {
      const derivedFields: Record<string, unknown> = { ...facts?.(state), ...derive?.(state, relatedCounts) };
      for (const [name, label] of counts) derivedFields[name] = relatedCount(relatedCounts, label);
      return derivedFields;
    },
  };
}

/** A record without a name is named by the beginning of a text, after its reference. */
function nameOf({ titleField }: AnyFamily): ReadModel['nameOf'] {
  if (titleField === undefined) return ({ name }) => String(name);
  return ({ reference_id, [titleField]: text }) => titleOf(reference_id ? `${reference_id}: ${text}` : text);
}

/** The key by which a naturally sorted text is found. Its own key is only for sorting. */
export function exactTextKey(field: string): string {
  return `${field}_text`;
}

/** The key by which records like one are found. That of a number is its order, in which NC-7 is NC-07. */
export function lookalikeKey(field: string, { naturalOrder }: Field): string {
  return naturalOrder ? field : `${field}_similar`;
}

/** Returns the keys of fields: those that lists filter or sort by, that find lookalikes, and that fall due. */
function fieldKeys({ fields, orders, filters = {}, dueItems = [] }: AnyFamily): Record<string, Key> {
  const filterKeys = new Set(Object.values(filters).map(({ key }) => key));
  const dueKeys = new Set(dueItems.map(({ key, date }) => key ?? date));
  const keys: Record<string, Key> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === 'past') continue;
    const isSorted = orders.includes(name);
    const key = fieldKey(name, field, {
      isSorted,
      isFiltered: Boolean(field.filter) || filterKeys.has(name),
      isDue: dueKeys.has(name),
    });
    if (key !== null) keys[name] = key;
    if (field.naturalOrder && field.filter) {
      keys[exactTextKey(name)] = textFilterKey(name);
    }
    if (field.lookalike && !field.naturalOrder) {
      keys[lookalikeKey(name, field)] = similarTextKey(name, field.lookalike === 'COMPANY');
    }
  }
  return keys;
}

/** Returns the key under a field's own name; null for a field that is neither found nor sorted by. */
function fieldKey(
  name: string,
  field: Field,
  { isSorted, isFiltered, isDue }: { isSorted: boolean; isFiltered: boolean; isDue: boolean },
): Key | null {
  if (field.naturalOrder) return naturalSortKey(name);
  if (isFiltered) return filterKeyFor(name, field, isSorted);
  if (isSorted && field.kind === 'time') return timeSortKey(name);
  if (isSorted) return field.kind === 'name' ? textSortKey(name) : sortKey(name);
  return isDue ? coveredByPrimaryIndexOnly(sortKey(name)) : null;
}

function filterKeyFor(name: string, field: Field, isSorted: boolean): Key {
  switch (field.kind) {
    case 'name':
      return textFilterKey(name);
    case 'boolean':
    case 'rating':
    case 'score':
    case 'share':
    case 'count':
      return numberFilterKey(name);
    case 'enum':
      // Values sort in the order in which they are described: a workflow's.
      return isSorted ? stateKey(name, field.values) : filterKey(name);
    default:
      return filterKey(name);
  }
}

function computedKeys({ keys = {} }: AnyFamily): Record<string, Key> {
  return Object.fromEntries(
    Object.entries(keys).map(([name, { type, of, isPrimaryOnly }]) => {
      const key = computed(type, of);
      return [name, isPrimaryOnly ? coveredByPrimaryIndexOnly(key) : key];
    }),
  );
}
