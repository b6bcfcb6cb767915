const BUCKETS = 1024;

/** A bucket without entries has no object. `place` is the entry's place in the order of the map. */
type Bucket<Value> = Readonly<Record<string, { place: number; value: Value }>> | undefined;

/**
 * An immutable map for states that may have many thousand entries. `set` copies one of 1,024 buckets instead of all
 * entries. So the time for folding a stream doesn't grow with the square of its length.
 */
export class PersistentMap<Value> {
  private constructor(
    private readonly buckets: readonly Bucket<Value>[],
    readonly size: number,
  ) {}

  /** Returns a map with these entries. */
  static of<Value>(entries: Readonly<Record<string, Value>> = {}): PersistentMap<Value> {
    const empty = new PersistentMap<Value>(new Array<Bucket<Value>>(BUCKETS).fill(undefined), 0);
    return Object.entries(entries).reduce((map, [key, value]) => map.set(key, value), empty);
  }

  get(key: string): Value | undefined {
    return this.entryOf(key)?.value;
  }

  /** Returns a map with this entry. It takes the place of an earlier one with the same key, else the last place. */
  set(key: string, value: Value): PersistentMap<Value> {
    const index = bucketOf(key);
    const place = this.entryOf(key)?.place ?? this.size;
    const buckets = this.buckets.slice();
    buckets[index] = { ...buckets[index], [key]: { place, value } };
    return new PersistentMap(buckets, Math.max(this.size, place + 1));
  }

  /** Returns all entries, in the order in which their keys were first set. */
  entries(): [key: string, value: Value][] {
    const entries = this.buckets.flatMap((bucket) => (bucket === undefined ? [] : Object.entries(bucket)));
    return entries.sort(([, a], [, b]) => a.place - b.place).map(([key, { value }]) => [key, value]);
  }

  private entryOf(key: string): { place: number; value: Value } | undefined {
    const bucket = this.buckets[bucketOf(key)];
    return bucket !== undefined && Object.hasOwn(bucket, key) ? bucket[key] : undefined;
  }
}

/** Returns the bucket of a key, by the hash FNV-1a. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}
