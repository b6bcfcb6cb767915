import type { AccountStore } from '../../stores/account-store.ts';
import { type StoredModel, storedModelId } from './stored-model.ts';

/** The grant and scopes of an access token. */
export interface AccessTokenGrant {
  /** The TokenRecord of its grant, `tok_…`. */
  token_id: string;
  scopes: readonly string[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Looks access tokens up by their SHA-256, for the Authenticator. One made for another resource (the base address was
 * another then) is none. It may be expired, and its grant revoked: see expiresAt, and the TokenRecord.
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
