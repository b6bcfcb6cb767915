import type { AccountStore } from '../../stores/account-store.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { TokenRecord } from './token-record.ts';

export interface TokenChangeOptions {
  accounts: AccountStore;
  now: () => Date;
  /** Called with the id of a changed token, which caches must forget (see Authenticator.forget). */
  onTokenChanged?: (tokenId: string) => void;
}

/**
 * Removes an organization from a stored token. Without any organization left, the token is revoked. Called before the
 * organization's log is written, so the token loses its role there at once.
 */
export async function removeOrganizationFromToken(
  { accounts, onTokenChanged, now }: TokenChangeOptions,
  id: string,
  organizationId: string,
): Promise<void> {
  const narrowed = await updateAtomically<TokenRecord>(accounts, 'tokens', id, (record) => {
    if (record === null || !record.organizations.includes(organizationId)) return null;
    const organizations = record.organizations.filter((other) => other !== organizationId);
    const narrowed_at = now().toISOString();
    const revocation = organizations.length === 0 ? { hash: null, revoked_at: record.revoked_at ?? narrowed_at } : {};
    return { organizations, narrowed_at, ...revocation };
  });
  if (narrowed !== null) onTokenChanged?.(id);
}
