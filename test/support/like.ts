import type { EventStore } from '../../src/stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';

/** An event store like another one but for some methods: for what goes wrong between here and there. */
export function eventStoreLike(store: EventStore, changed: Partial<EventStore>): EventStore {
  return like(store, changed);
}

/** Read models like others but for some methods. */
export function readModelsLike(models: ReadModels, changed: Partial<ReadModels>): ReadModels {
  return like(models, changed);
}

/** A read store like another one whose read models pass through `change` when they are opened. */
export function readStoreLike(store: ReadStore, change: (models: ReadModels) => ReadModels): ReadStore {
  return like(store, {
    open: async (generation, collections) => change(await store.open(generation, collections)),
  });
}

function like<T extends object>(original: T, changed: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const own = changed[name as keyof T];
      if (own !== undefined) return own;
      const value = target[name as keyof T];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
