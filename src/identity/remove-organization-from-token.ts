import type { AccountStore } from '../stores/account-store.ts';
import type { TokenRecord } from './token-record.ts';
import { updateAtomically } from './update-atomically.ts';

export interface TokenChangeOptions {
  accounts: AccountStore;
  now: () => Date;
  /** Told the id of a token that must not be known any longer as it was: see Authenticator.forget. */
  onTokenChanged?: (tokenId: string) => void;
}

/**
 * Takes an organization off what is kept of a token; the last one takes the token away. Done before the organization is
 * told, so that the token has no role there from now on.
 */
export async function removeOrganizationFromToken(
  { accounts, onTokenChanged: changed, now }: TokenChangeOptions,
  id: string,
  organizationId: string,
): Promise<void> {
  const narrowed = await updateAtomically<TokenRecord>(accounts, 'tokens', id, (record) => {
    if (record === null || !record.organizations.includes(organizationId)) return null;
    const organizations = record.organizations.filter((other) => other !== organizationId);
    const narrowed_at = now().toISOString();
    const ends = organizations.length === 0 ? { hash: null, revoked_at: record.revoked_at ?? narrowed_at } : {};
    return { organizations, narrowed_at, ...ends };
  });
  if (narrowed !== null) changed?.(id);
}
