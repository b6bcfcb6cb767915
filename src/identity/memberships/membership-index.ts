import type { CommandHandler } from '../../commands/engine/handler.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { storedInstallationId, toInstallation } from '../installation/installation.ts';
import { updateAtomically } from '../update-atomically.ts';

/*
 * The membership index: an account's record lists the organizations in which to look for it. It is written before a
 * membership is added and after one is removed. A wrong entry does no harm, because each organization's log decides.
 */

export type IndexedAccount = AccountRecord & { organizations?: readonly string[] };

/** Returns the organizations that an account may be a member of. A record of an earlier version has no list: then it is the first organization. */
export async function indexedOrganizations(accounts: AccountStore, accountId: string): Promise<readonly string[]> {
  const account = await accounts.get<IndexedAccount>('accounts', accountId);
  return account === null ? [] : organizationsIn(accounts, account);
}

/** Returns the organizations that an account's record lists. */
export async function organizationsIn(accounts: AccountStore, account: IndexedAccount): Promise<readonly string[]> {
  if (account.organizations !== undefined) return account.organizations;
  const installation = await storedInstallationId(accounts);
  return installation === null ? [] : [toInstallation(installation).organizationId];
}

/** Adds an organization to an account's list. Returns false if nothing had to be written. */
export function addToMembershipIndex(
  accounts: AccountStore,
  accountId: string,
  organizationId: string,
): Promise<boolean> {
  return updateMembershipIndex(accounts, accountId, (hints) =>
    hints.includes(organizationId) ? hints : [...hints, organizationId],
  );
}

export function removeFromMembershipIndex(
  accounts: AccountStore,
  accountId: string,
  organizationId: string,
): Promise<boolean> {
  return updateMembershipIndex(accounts, accountId, (hints) => {
    const remainingHints = hints.filter((id) => id !== organizationId);
    return remainingHints.length === hints.length ? hints : remainingHints;
  });
}

/**
 * Removes an organization from an account's list, and adds it again if the account became a member meanwhile. A missing
 * entry would be overlooked when the account leaves all its organizations.
 */
export async function pruneMembershipIndex(
  { accounts, handler }: { accounts: AccountStore; handler: Pick<CommandHandler, 'load'> },
  accountId: string,
  organizationId: string,
): Promise<void> {
  if (!(await removeFromMembershipIndex(accounts, accountId, organizationId))) return;
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state && Object.hasOwn(state.members, accountId)) await addToMembershipIndex(accounts, accountId, organizationId);
}

async function updateMembershipIndex(
  accounts: AccountStore,
  accountId: string,
  next: (hints: readonly string[]) => readonly string[],
): Promise<boolean> {
  const updated = await updateAtomically<IndexedAccount>(accounts, 'accounts', accountId, async (account) => {
    if (account === null) return null;
    const hints = await organizationsIn(accounts, account);
    const organizations = next(hints);
    return organizations === hints && account.organizations !== undefined ? null : { organizations };
  });
  return updated !== null;
}
