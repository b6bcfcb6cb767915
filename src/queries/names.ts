import { LRUCache } from 'lru-cache';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';

/** What readers see where an account is no more. */
const FORMER = 'former member';

const names = new WeakMap<AccountStore, LRUCache<string, string>>();

/** Names of accounts: no event holds one, they are put in when history is read. */
export async function accountNames(accounts: AccountStore, ids: Iterable<string>): Promise<Map<string, string>> {
  const cache = names.get(accounts) ?? new LRUCache<string, string>({ max: 5_000, ttl: 5_000 });
  names.set(accounts, cache);
  const found = new Map<string, string>();
  for (const id of new Set(ids)) {
    let name = cache.get(id);
    if (name === undefined) {
      name = (await accounts.get<AccountRecord & { name: string }>('accounts', id))?.name ?? FORMER;
      cache.set(id, name);
    }
    found.set(id, name);
  }
  return found;
}
