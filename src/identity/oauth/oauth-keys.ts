import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'oidc-provider';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { sharedSecret } from '../installation.ts';

interface KeyRecord extends AccountRecord {
  jwk: JWK;
}

const KEY_ID = 'key:oauth-signing';

/** The OAuth server's own keys, made once: of several processes that start together, one's are kept and all use them. */
export async function loadOAuthKeys(accounts: AccountStore): Promise<{ jwks: { keys: JWK[] }; cookieKey: string }> {
  if ((await accounts.get('secrets', KEY_ID)) === null) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await accounts.insert('secrets', { id: KEY_ID, jwk: privateKey.export({ format: 'jwk' }) });
  }
  const { jwk } = (await accounts.get<KeyRecord>('secrets', KEY_ID))!;
  const cookieKey = await sharedSecret(accounts, 'oauth-cookies');
  return { jwks: { keys: [{ ...jwk, use: 'sig', alg: 'ES256' }] }, cookieKey: cookieKey.toString('base64url') };
}
