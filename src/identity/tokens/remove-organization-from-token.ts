import type { AccountStore } from '../../stores/account-store.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { Revocation, TokenRecord } from './token-record.ts';

export interface TokenChangeOptions {
  accounts: AccountStore;
  now: () => Date;
  /** Called with the id of a changed token, which caches must forget (see Authenticator.forget). */
  onTokenChanged?: (tokenId: string) => void;
}

/**
 * Removes an organization from a stored token. Without any organization left, the token is revoked. Called before the
 * organization's log is written, so the token loses its role there at once.
 * @param by stored with the token, for an event that isn't written yet
 */
export async function removeOrganizationFromToken(
  { accounts, onTokenChanged, now }: TokenChangeOptions,
  id: string,
  organizationId: string,
  by?: Omit<Revocation, 'organization_id'>,
): Promise<void> {
  const narrowed = await updateAtomically<TokenRecord>(accounts, 'tokens', id, (record) => {
    if (record === null || !record.organizations.includes(organizationId)) return null;
    const organizations = record.organizations.filter((other) => other !== organizationId);
    const isUnused = organizations.length === 0;
    return {
      organizations,
      ...(isUnused ? { hash: null, revoked_at: record.revoked_at ?? now().toISOString() } : {}),
      ...(by === undefined ? {} : { revocation: { organization_id: organizationId, ...by } }),
    };
  });
  if (narrowed !== null) onTokenChanged?.(id);
}
