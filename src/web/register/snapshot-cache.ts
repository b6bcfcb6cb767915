import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../../queries/moments/snapshot.ts';

const MAX_VALUES = 500;

/** Returns a function that gives each snapshot a cache of its own, which goes with it. */
export function cachePerSnapshot<Value extends object>(): (snapshot: Snapshot) => LRUCache<string, Value> {
  const caches = new WeakMap<Snapshot, LRUCache<string, Value>>();
  return (snapshot) => {
    const cache = caches.get(snapshot) ?? new LRUCache<string, Value>({ max: MAX_VALUES });
    caches.set(snapshot, cache);
    return cache;
  };
}
