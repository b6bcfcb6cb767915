/**
 * The cryptography that the trail is given, because it imports none: Node.js and browsers have different ones. All of it
 * is synchronous. Digests are lower-case hex, as in events; Node.js returns hex more than twice as fast as bytes.
 */
export interface TrailCrypto {
  /** Returns the SHA-256 of bytes, or of text in UTF-8. */
  sha256(data: Uint8Array | string): string;
  /** Returns the SHA-1 of bytes, which UUIDs of version 5 need. */
  sha1(bytes: Uint8Array): string;
  /** Returns true if the Ed25519 key (32 bytes) signed the message. Returns false for bytes that aren't a key. */
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
