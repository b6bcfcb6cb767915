import { createPublicKey, hash as digestOf, type KeyObject } from 'node:crypto';

/** A private key for seals: Ed25519 (RFC 8032). */
export interface SigningKey {
  key_id: string;
  /** The public key, as in `PublicKey.text`. */
  public_key: string;
  private_key: KeyObject;
}

/** A public key for checking seals. */
export interface PublicKey {
  key_id: string;
  /** Base64 of the key's 32 bytes. */
  text: string;
  key: KeyObject;
}

const KEY_BYTES = 32;

/** Returns a key's id: the first 16 hex digits of the SHA-256 of its 32 bytes. */
export function keyIdOf(raw: Buffer): string {
  return digestOf('sha256', raw, 'hex').slice(0, 16);
}

/** @throws TypeError if the key isn't an Ed25519 private key */
export function signingKey(private_key: KeyObject): SigningKey {
  if (private_key.type !== 'private') throw new TypeError('not a private key');
  const { key_id, text } = publicKeyOf(createPublicKey(private_key));
  return { key_id, public_key: text, private_key };
}

/**
 * Reads a public key: PEM (SPKI), or base64 of its 32 bytes.
 * @throws TypeError if the text is neither
 */
export function readPublicKey(text: string): PublicKey {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN')) return publicKeyOf(readPem(trimmed));
  const raw = fromBase64(trimmed, KEY_BYTES);
  if (raw === null) throw new TypeError('neither a PEM nor base64 of 32 bytes');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  return { key_id: keyIdOf(raw), text: trimmed, key: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/**
 * Reads one or more public keys from a text: PEM blocks, or base64 with one key a line. Skips blank lines.
 * @throws TypeError if any part isn't a key, or there is none
 */
export function readPublicKeys(text: string): PublicKey[] {
  const keys = text.match(/-----BEGIN.*?(?:-----END[^\n]*|$)|\S[^\n]*/gs) ?? [''];
  return keys.map(readPublicKey);
}

/** Returns a key as PEM (SPKI), without a line feed at the end. */
export function publicPem({ key }: PublicKey): string {
  return key.export({ type: 'spki', format: 'pem' }).toString().trim();
}

function readPem(text: string): KeyObject {
  // createPublicKey would also accept a private key's PEM, which its owner must not pass around.
  if (!text.startsWith('-----BEGIN PUBLIC KEY-----')) throw new TypeError('a PEM that is not a public key');
  try {
    return createPublicKey(text);
  } catch (error) {
    throw new TypeError('a PEM that cannot be read', { cause: error });
  }
}

/** @throws TypeError if the key isn't an Ed25519 key */
export function publicKeyOf(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  const raw = Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
  return { key_id: keyIdOf(raw), text: raw.toString('base64'), key };
}

/** Returns the bytes of a base64 text. Null if the length differs from `bytes`, or the text isn't standard base64. */
export function fromBase64(text: string, bytes: number): Buffer | null {
  const raw = Buffer.from(text, 'base64');
  return raw.length === bytes && raw.toString('base64') === text ? raw : null;
}
