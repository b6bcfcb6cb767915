import type { CollectionSpec } from '../../stores/read-store.ts';
import { historyOf, keysOf, ordersOf, type ReadModel, SPAN_KEYS } from './read-model.ts';
import { recordView, versionView } from './views.ts';

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
  const indexed = (covers: string[]) =>
    sorted.map((keys) => {
      const all = keys.at(-1) === model.orders[0] ? [...covers, ...primaryOnly] : covers;
      return { keys, covers: all.filter((key) => !keys.includes(key)) };
    });
  return [
    {
      name: model.family.plural,
      keys,
      indexes: [...indexed(filters), ...(model.lookupKeys ?? []).map((key) => ({ keys: [key] }))],
      searchable: true,
      views: [recordView(model)],
    },
    {
      name: historyOf(model.family.plural),
      keys: { ...keys, ...SPAN_KEYS },
      indexes: [...indexed([...span, ...filters]), { keys: ['record_id', 'from_position'] }],
      searchable: true,
      views: [versionView(model, historyOf(model.family.plural))],
    },
  ];
}
