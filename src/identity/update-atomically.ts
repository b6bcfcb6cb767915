import type { AccountRecord, AccountStore, AccountTableName } from '../stores/account-store.ts';
import { StoreUnavailable } from '../stores/errors.ts';

/** Writers that may be faster, one after another, before this one gives up for now. */
const MAX_ATTEMPTS = 50;

/**
 * Changes some fields of a record by what they are now; where another writer changed one of them meanwhile, by what that
 * one left.
 * @param next the fields to put, all of a record that is not there yet; null leaves everything as it is
 * @returns the record as it is then; null where it was left
 * @throws StoreUnavailable where others are always faster; else what `next` throws
 */
export async function updateAtomically<T extends AccountRecord>(
  accounts: AccountStore,
  table: AccountTableName,
  id: string,
  next: (found: T | null) => Partial<T> | null | Promise<Partial<T> | null>,
): Promise<T | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await accounts.get<T>(table, id);
    const fields = await next(found);
    if (fields === null) return null;
    const changed = { ...found, ...fields, id } as T;
    const before = Object.fromEntries(Object.keys(fields).map((field) => [field, found?.[field]]));
    const done = found === null ? accounts.insert(table, changed) : accounts.update(table, id, fields, before);
    if (await done) return changed;
  }
  throw new StoreUnavailable(`a record of ${table} changes all the time`);
}
