import { createPublicKey, hash, verify } from 'node:crypto';
import type { TrailCrypto } from '../crypto.ts';

/** The trail's cryptography in Node.js. */
export const nodeCrypto: TrailCrypto = {
  sha256: (data) => hash('sha256', data),
  sha1: (bytes) => hash('sha1', bytes),
  verifyEd25519(publicKey, message, signature) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  },
};
