import { LRUCache } from 'lru-cache';

/** Memory of an object with its hidden class and property list, and of each member. */
const OBJECT_BYTES = 48;
const MEMBER_BYTES = 8;
const STRING_BYTES = 24;
/** An entry of the cache: its key, and its places in the lists. */
const ENTRY_BYTES = 250;

/**
 * Returns a cache that holds about `maxBytes`, least recently used out first. A number of entries would be no limit: one
 * record may have several texts of 10,000 characters. A value of more than `maxBytes` isn't cached.
 * @param bytesOf estimates a value's memory. It is called once for each `set`
 */
export function createByteCache<Value extends object>(
  maxBytes: number,
  bytesOf: (value: Value) => number = approximateBytes,
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxBytes, sizeCalculation: (value) => ENTRY_BYTES + bytesOf(value) });
}

/** Estimates the memory of JSON data. Counts two bytes a character, which texts with any character beyond Latin-1 take. */
export function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const member of Object.values(value)) bytes += MEMBER_BYTES + approximateBytes(member);
  return bytes;
}
