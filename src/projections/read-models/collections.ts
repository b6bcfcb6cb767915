import type { CollectionSpec } from '../../stores/read-store.ts';
import { historyOf, keysOf, ordersOf, type ReadModel, SPAN_KEYS } from './read-model.ts';

/** The members that every record's document has. */
const FIRST_MEMBERS = ['id', 'organization_id'];
const LAST_MEMBERS = ['owner_id', 'created_at', 'updated_at', 'revision', 'position', 'archived_at'];
const COMMON_MEMBERS = new Set([...FIRST_MEMBERS, ...LAST_MEMBERS]);

/**
 * Returns a family's two collections: its records now, and every version with the positions between which it is
 * valid.
 */
export function collectionsOf(model: ReadModel): CollectionSpec[] {
  const all = Object.entries(keysOf(model));
  const keys = Object.fromEntries(all.map(([name, { type }]) => [name, type]));
  const filters = all.filter(([, key]) => key.filterable === true).map(([name]) => name);
  const primaryOnly = all.filter(([, key]) => key.filterable === 'PRIMARY_INDEX_ONLY').map(([name]) => name);
  const span = ['from_position', 'until_position'];
  const sorted = [
    ...ordersOf(model).map((order) => [order]),
    ...(model.leadingIndexKeys ?? []).map((key) => [key, model.orders[0]!]),
  ];
  const { largeMap, currentFields = [] } = model;
  const members = [
    ...FIRST_MEMBERS,
    ...model.storedFields.filter((name) => !COMMON_MEMBERS.has(name) && name !== largeMap?.field),
    ...LAST_MEMBERS,
    'from_position',
  ];
  const indexed = (covers: string[]) =>
    sorted.map((keys) => {
      const all = keys.at(-1) === model.orders[0] ? [...covers, ...primaryOnly] : covers;
      return { keys, covers: all.filter((key) => !keys.includes(key)) };
    });
  return [
    {
      name: model.family.plural,
      keys,
      indexes: [
        ...indexed(filters),
        ...(model.lookupKeys ?? []).map((key) => ({ keys: [key], lookup: true as const })),
      ],
      searchable: true,
      members,
    },
    {
      name: historyOf(model.family.plural),
      keys: { ...keys, ...SPAN_KEYS },
      indexes: [
        ...indexed([...span, ...filters]),
        { keys: ['record_id', 'from_position'], lookup: true },
        { keys: ['from_position'] },
      ],
      searchable: true,
      members: members.filter((name) => !currentFields.includes(name)),
    },
  ];
}
