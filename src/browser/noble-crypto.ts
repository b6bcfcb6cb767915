import { ed25519 } from '@noble/curves/ed25519.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex, utf8 } from '../trail/bytes.ts';
import type { TrailCrypto } from '../trail/crypto.ts';

/** The trail's cryptography where there is no Node.js. Web Crypto can't be used: its functions are asynchronous. */
export const nobleCrypto: TrailCrypto = {
  sha256: (data) => toHex(sha256(typeof data === 'string' ? utf8(data) : data)),
  sha1: (bytes) => toHex(sha1(bytes)),
  // RFC 8032 instead of the looser ZIP 215, which is the package's default.
  verifyEd25519: (publicKey, message, signature) => ed25519.verify(signature, message, publicKey, { zip215: false }),
};
