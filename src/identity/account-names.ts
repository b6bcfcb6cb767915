import { Refusal } from '../commands/refusal.ts';
import { type NameRecord, nameId, nameKey, nameRecords, namesChanged } from '../queries/account-names.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';

/** Nobody has so many names; who changes theirs by a program ends here. */
const MAX_NAMES = 200;

type Named = AccountRecord & { name?: string | null };

/**
 * Keeps a name of an account with its date, beside those before it. The first one holds from the beginning.
 * @param since when it became the account's, in RFC 3339
 * @throws Refusal too_large
 */
export async function recordName(
  accounts: AccountStore,
  accountId: string,
  name: string,
  since: string,
): Promise<void> {
  for (;;) {
    const known = await nameRecords(accounts, accountId);
    if (known.at(-1)?.name === name) return;
    if (known.length >= MAX_NAMES) {
      throw new Refusal('too_large', `The account had ${MAX_NAMES} names: leave it as it is.`, { field: 'name' });
    }
    // An account whose first name was not kept had one all the same.
    const first = known.length === 0 ? (await accounts.get<Named>('accounts', accountId))?.name : null;
    await accounts.insert('names', record(accountId, known.length, first ?? name, known.length === 0 ? null : since));
    namesChanged(accounts);
  }
}

/** Keeps the name of an account that is made. Nothing changes where it has one already. */
export async function recordFirstName(accounts: AccountStore, accountId: string, name: string): Promise<void> {
  await accounts.insert('names', record(accountId, 0, name, null));
  namesChanged(accounts);
}

/** Forgets every name of an account: readers see "former member" from then on. */
export async function eraseNames(accounts: AccountStore, accountId: string): Promise<void> {
  for (const { id } of await nameRecords(accounts, accountId)) await accounts.remove('names', id);
  namesChanged(accounts);
}

function record(account_id: string, n: number, name: string, since: string | null): NameRecord {
  return { id: nameId(account_id, n), account_id, name, name_key: nameKey(name), since };
}
