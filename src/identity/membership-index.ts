import { organizationAggregate } from '../commands/families.ts';
import type { CommandHandler } from '../commands/handler.ts';
import { memberRole } from '../commands/organization-state.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { storedInstallationId, toInstallation } from './installation.ts';
import { updateAtomically } from './update-atomically.ts';

/*
 * An account's record says in which organizations to look for it. A hint is written before the membership it is of, and
 * taken away after; what is wrong for a while leads nobody anywhere, since each organization's own log is asked.
 */

type IndexedAccount = AccountRecord & { organizations?: readonly string[] };

/** Where an account may be a member. One that an earlier version made says nothing: it can be in the first organization. */
export async function indexedOrganizations(accounts: AccountStore, accountId: string): Promise<readonly string[]> {
  const account = await accounts.get<IndexedAccount>('accounts', accountId);
  return account === null ? [] : organizationsIn(accounts, account);
}

async function organizationsIn(accounts: AccountStore, account: IndexedAccount): Promise<readonly string[]> {
  if (account.organizations !== undefined) return account.organizations;
  const installation = await storedInstallationId(accounts);
  return installation === null ? [] : [toInstallation(installation).organizationId];
}

/** Answers whether anything had to be written. */
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
    const rest = hints.filter((id) => id !== organizationId);
    return rest.length === hints.length ? hints : rest;
  });
}

/**
 * Takes a hint away where nothing is behind it any more, and puts it back where the account has become a member
 * meanwhile: one without it would be missed when the account leaves everything.
 */
export async function pruneMembershipIndex(
  { accounts, handler }: { accounts: AccountStore; handler: Pick<CommandHandler, 'load'> },
  accountId: string,
  organizationId: string,
): Promise<void> {
  if (!(await removeFromMembershipIndex(accounts, accountId, organizationId))) return;
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state && memberRole(state, accountId) !== null) await addToMembershipIndex(accounts, accountId, organizationId);
}

async function updateMembershipIndex(
  accounts: AccountStore,
  accountId: string,
  next: (hints: readonly string[]) => readonly string[],
): Promise<boolean> {
  const changed = await updateAtomically<IndexedAccount>(accounts, 'accounts', accountId, async (account) => {
    if (account === null) return null;
    const hints = await organizationsIn(accounts, account);
    const organizations = next(hints);
    return organizations === hints && account.organizations !== undefined ? null : { organizations };
  });
  return changed !== null;
}
