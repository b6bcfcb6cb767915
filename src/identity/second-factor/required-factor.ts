import type { Caller } from '../../commands/organization/caller.ts';
import { type OrganizationState, requiresSecondFactor } from '../../commands/organization/organization-state.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { findAccount } from '../accounts/account.ts';

export const SECOND_FACTOR_PAGE = '/settings/security';

/**
 * Returns true if an organization requires a second factor now and the account has none. An account that signs in only at
 * the OpenID provider also has one if its last sign-in there used two factors. With a password it needs one of its own,
 * because the password alone would be enough.
 */
export async function isMissingRequiredFactor(
  accounts: AccountStore,
  accountId: string,
  state: OrganizationState,
  now: string,
): Promise<boolean> {
  return requiresSecondFactor(state, now) && !(await hasTwoFactors(accounts, accountId));
}

/** Returns the day from which an organization requires a second factor that the account lacks; null if it lacks none. */
export async function missingFactorFrom(
  accounts: AccountStore,
  accountId: string,
  { second_factor_from = null }: OrganizationState,
): Promise<string | null> {
  return second_factor_from === null || (await hasTwoFactors(accounts, accountId)) ? null : second_factor_from;
}

/** Returns true if nobody can sign in to the account with one factor alone. */
export async function hasTwoFactors(accounts: AccountStore, accountId: string): Promise<boolean> {
  const account = await findAccount(accounts, accountId);
  if (account === null) return false;
  if (account.totp !== null || (account.password === null && account.subject !== null && account.provider_factors)) {
    return true;
  }
  return (await accounts.find('passkeys', 'account_id', accountId)).length > 0;
}

/** Returns the time in milliseconds until which the second factor stays optional, as far as known now. */
export function factorOptionalUntil({ second_factor_from = null }: OrganizationState, now: Date): number {
  const start = second_factor_from === null ? Number.NaN : Date.parse(second_factor_from);
  return start > now.getTime() ? start - 1 : Number.POSITIVE_INFINITY;
}

/** Returns the members of a caller that name the organizations that keep it out: damaged ones, and for lack of a factor. */
export function barredOrganizations(
  damaged: ReadonlySet<string>,
  lacking: ReadonlySet<string>,
  baseUrl = '',
): Pick<Caller, 'damaged' | 'missingFactor'> {
  const page = `${baseUrl}${SECOND_FACTOR_PAGE}`;
  return {
    ...(damaged.size === 0 ? {} : { damaged }),
    ...(lacking.size === 0 ? {} : { missingFactor: { organizations: lacking, page } }),
  };
}
