import { StoreUnavailable } from '../../stores/errors.ts';
import type { ReadStore } from '../../stores/read-store.ts';

/** Attempts before this writer gives up, because other writers always win. */
const MAX_ATTEMPTS = 50;

/**
 * Updates a shared entry by compare-and-set. If another writer changed it meanwhile, `change` is called again with the new
 * value.
 * @param initial the value while there is no entry
 * @param change returns the value to write; the same one changes nothing
 * @returns the value that is stored now
 * @throws StoreUnavailable after MAX_ATTEMPTS
 */
export async function updateSharedEntry<T>(
  reads: Pick<ReadStore, 'sharedEntry' | 'compareAndSet'>,
  name: string,
  initial: T,
  change: (value: T) => T,
): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = await reads.sharedEntry<T>(name);
    const before = entry?.value ?? initial;
    const after = change(before);
    if (after === before || (await reads.compareAndSet(name, entry?.version ?? 0, after))) return after;
  }
  throw new StoreUnavailable(`the shared entry ${name} changes all the time`);
}
