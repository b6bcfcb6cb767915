import * as assert from 'uvu/assert';

/** Tokens and their ids, private keys, and hashes of passwords. */
const SECRETS = [/vt[rof]_[0-9A-Za-z]{20}/, /\btok_/, /PRIVATE KEY/, /argon2/];
const MAIL_ADDRESS = /@[a-z0-9-]+\.[a-z]{2,}/i;

/** Fails if the content of a reporting database has a secret, or the address of a person. */
export function assertNoSecrets(text: string, token: string): void {
  for (const secret of [...SECRETS, MAIL_ADDRESS]) assert.is(secret.exec(text)?.[0], undefined);
  assert.not(text.includes(token), 'the token of the demo');
}

/** Fails if the bytes of a file have a secret. */
export function assertNoSecretBytes(bytes: Buffer, token: string): void {
  const text = bytes.toString('latin1');
  for (const secret of SECRETS) assert.is(secret.exec(text)?.[0], undefined);
  assert.not(text.includes(token), 'the token of the demo');
}
