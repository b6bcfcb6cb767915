import type { AccountRecord, AccountStore, AccountTableName } from '../stores/account-store.ts';
import { StoreUnavailable } from '../stores/errors.ts';

/** Attempts before this writer gives up, because other writers always win. */
const MAX_ATTEMPTS = 50;

/**
 * Updates a record by compare-and-set. If another writer changed the same fields meanwhile, `next` is called again with
 * the new record.
 * @param next returns the fields to write, all of them for a new record; null changes nothing
 * @returns the updated record, or null if nothing was changed
 * @throws StoreUnavailable after MAX_ATTEMPTS; otherwise what `next` throws
 */
export async function updateAtomically<T extends AccountRecord>(
  accounts: AccountStore,
  table: AccountTableName,
  id: string,
  next: (record: T | null) => Partial<T> | null | Promise<Partial<T> | null>,
): Promise<T | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const record = await accounts.get<T>(table, id);
    const fields = await next(record);
    if (fields === null) return null;
    const updated = { ...record, ...fields, id } as T;
    const before = Object.fromEntries(Object.keys(fields).map((field) => [field, record?.[field]]));
    const write = record === null ? accounts.insert(table, updated) : accounts.update(table, id, fields, before);
    if (await write) return updated;
  }
  throw new StoreUnavailable(`a record of ${table} changes all the time`);
}
