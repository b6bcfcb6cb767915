import type { AccountStore } from '../../stores/account-store.ts';
import { type StoredModel, storedModelId } from './stored-model.ts';

export interface AccessTokenGrant {
  /** The TokenRecord of its grant, `tok_…`. */
  token_id: string;
  scopes: readonly string[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Looks access tokens up by their SHA-256, for the Authenticator. A token for another resource (an earlier base address)
 * is not found. The caller checks the expiry and the grant's TokenRecord.
 */
export function accessTokenLookup(
  accounts: AccountStore,
  resource: string,
): (hash: string) => Promise<AccessTokenGrant | null> {
  return async (hash) => {
    const row = await accounts.get<StoredModel>('oauth', storedModelId('AccessToken', hash));
    if (row === null || row.grant_id === null) return null;
    const { aud, scope = '' } = JSON.parse(row.payload) as { aud?: string; scope?: string };
    if (aud !== resource) return null;
    return { token_id: row.grant_id, scopes: scope.split(' '), expiresAt: Date.parse(row.expires_at) };
  };
}
