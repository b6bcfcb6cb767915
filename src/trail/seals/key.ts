import { bytesOf, fromBase64, toBase64, toHex } from '../bytes.ts';
import type { TrailCrypto } from '../crypto.ts';

/** A private key for seals: Ed25519 (RFC 8032). */
export interface SigningKey {
  key_id: string;
  /** The public key, as in `PublicKey.text`. */
  public_key: string;
  /** Returns the message's signature. */
  sign(message: Uint8Array): Uint8Array;
}

/** Checks signatures of one key. */
export interface VerificationKey {
  /** Returns true if the key's private half signed the message. */
  verify(message: Uint8Array, signature: Uint8Array): boolean;
}

/** A public key for checking seals: Ed25519 (RFC 8032). */
export interface PublicKey {
  key_id: string;
  /** Base64 of the key's 32 bytes. */
  text: string;
  key: VerificationKey;
}

const KEY_BYTES = 32;

/** Returns a key's id: the first 16 hex digits of the SHA-256 of its 32 bytes. */
export function keyIdOf(crypto: TrailCrypto, raw: Uint8Array): string {
  return crypto.sha256(raw).slice(0, 16);
}

/**
 * Reads a public key: PEM (SPKI), or base64 of its 32 bytes.
 * @throws TypeError if the text is neither
 */
export function readPublicKey(crypto: TrailCrypto, text: string): PublicKey {
  const trimmed = text.trim();
  const raw = trimmed.startsWith('-----BEGIN') ? readPem(trimmed) : fromBase64(trimmed, KEY_BYTES);
  if (raw === null) throw new TypeError('neither a PEM nor base64 of 32 bytes');
  return {
    key_id: keyIdOf(crypto, raw),
    text: toBase64(raw),
    key: { verify: (message, signature) => crypto.verifyEd25519(raw, message, signature) },
  };
}

/**
 * Reads one or more public keys from a text: PEM blocks, or base64 with one key a line. Skips blank lines.
 * @throws TypeError with its line if any part isn't a key, or if there is none
 */
export function readPublicKeys(crypto: TrailCrypto, text: string): PublicKey[] {
  const keys = [...text.matchAll(/-----BEGIN.*?(?:-----END[^\n]*|$)|\S[^\n]*/gs)];
  if (keys.length === 0) throw new TypeError('there is no key');
  return keys.map(({ 0: key, index }) => {
    try {
      return readPublicKey(crypto, key);
    } catch (error) {
      throw new TypeError(`line ${text.slice(0, index).split('\n').length}: ${(error as TypeError).message}`);
    }
  });
}

/** An Ed25519 key's SPKI (RFC 8410) is these bytes and the key's 32 bytes. */
const SPKI_PREFIX = '302a300506032b6570032100';
const SPKI_BYTES = SPKI_PREFIX.length / 2 + KEY_BYTES;
const PEM = /^-----BEGIN PUBLIC KEY-----\s([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/;

/** Returns a key as PEM (SPKI), without a line feed at the end. */
export function publicPem({ text }: PublicKey): string {
  const spki = bytesOf(SPKI_PREFIX + toHex(fromBase64(text, KEY_BYTES)!));
  return `-----BEGIN PUBLIC KEY-----\n${toBase64(spki)}\n-----END PUBLIC KEY-----`;
}

function readPem(text: string): Uint8Array {
  // A private key's PEM must be refused: its owner must not pass it around.
  if (!text.startsWith('-----BEGIN PUBLIC KEY-----')) throw new TypeError('a PEM that is not a public key');
  const base64 = PEM.exec(text)?.[1]?.replaceAll(/\s/g, '');
  if (base64 === undefined) throw new TypeError('a PEM that cannot be read');
  const spki = fromBase64(base64, SPKI_BYTES);
  if (spki === null || toHex(spki.subarray(0, -KEY_BYTES)) !== SPKI_PREFIX) throw new TypeError('not an Ed25519 key');
  return spki.subarray(-KEY_BYTES);
}
