import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type PublicKey, readPublicKey, type SigningKey } from '../seals/key.ts';
import { nodeCrypto } from './node-crypto.ts';

/** @throws TypeError if the key isn't an Ed25519 private key */
export function signingKey(privateKey: KeyObject): SigningKey {
  if (privateKey.type !== 'private') throw new TypeError('not a private key');
  const { key_id, text } = publicKeyOf(createPublicKey(privateKey));
  return { key_id, public_key: text, sign: (message) => sign(null, message, privateKey) };
}

/** @throws TypeError if the key isn't an Ed25519 key */
export function publicKeyOf(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  const raw = Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
  return readPublicKey(nodeCrypto, raw.toString('base64'));
}
