import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'oidc-provider';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { sharedSecret } from '../installation/installation.ts';

interface KeyRecord extends AccountRecord {
  jwk: JWK;
}

const KEY_ID = 'key:oauth-signing';

/** Loads the OAuth server's keys. The first process generates them, and all processes use the same. */
export async function loadOAuthKeys(
  accounts: AccountStore,
): Promise<{ jwks: { keys: JWK[] }; cookieKey: string; clientKey: Buffer; refreshKey: Buffer }> {
  if ((await accounts.get('secrets', KEY_ID)) === null) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await accounts.insert('secrets', { id: KEY_ID, jwk: privateKey.export({ format: 'jwk' }) });
  }
  const { jwk } = (await accounts.get<KeyRecord>('secrets', KEY_ID))!;
  const cookieKey = await sharedSecret(accounts, 'oauth-cookies');
  const clientKey = await sharedSecret(accounts, 'oauth-clients');
  return {
    jwks: { keys: [{ ...jwk, use: 'sig', alg: 'ES256' }] },
    cookieKey: cookieKey.toString('base64url'),
    clientKey,
    refreshKey: await sharedSecret(accounts, 'oauth-refresh'),
  };
}
