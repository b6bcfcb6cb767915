import { Refusal } from '../../commands/engine/refusal.ts';
import { clearNameCache, type NameRecord, nameId, nameKey, nameRecords } from '../../queries/access/name-history.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';

/** More names than any person has. Stops programs that change a name in a loop. */
const MAX_NAMES = 200;

type Named = AccountRecord & { name?: string | null };

/**
 * Records an account's new name with its date, after the earlier ones. The first name is valid from the beginning.
 * @param since the time of the change, in RFC 3339
 * @throws Refusal too_large
 */
export async function recordName(
  accounts: AccountStore,
  accountId: string,
  name: string,
  since: string,
): Promise<void> {
  for (;;) {
    const records = await nameRecords(accounts, accountId);
    if (records.at(-1)?.name === name) return;
    if (records.length >= MAX_NAMES) {
      throw new Refusal(
        'too_large',
        `The account has had ${MAX_NAMES} names, which is the limit. Keep the current name.`,
        { field: 'name' },
      );
    }
    // Earlier versions didn't record the first name, so it is taken from the account.
    const first = records.length === 0 ? (await accounts.get<Named>('accounts', accountId))?.name : null;
    await accounts.insert(
      'names',
      record(accountId, records.length, first ?? name, records.length === 0 ? null : since),
    );
    clearNameCache(accounts);
  }
}

/** Records the name of a new account. Changes nothing if a name is recorded. */
export async function recordFirstName(accounts: AccountStore, accountId: string, name: string): Promise<void> {
  await accounts.insert('names', record(accountId, 0, name, null));
  clearNameCache(accounts);
}

/** Erases every name of an account. Readers then see "former member". */
export async function eraseNames(accounts: AccountStore, accountId: string): Promise<void> {
  for (const { id } of await nameRecords(accounts, accountId)) await accounts.remove('names', id);
  clearNameCache(accounts);
}

function record(account_id: string, n: number, name: string, since: string | null): NameRecord {
  return { id: nameId(account_id, n), account_id, name, name_key: nameKey(name), since };
}
