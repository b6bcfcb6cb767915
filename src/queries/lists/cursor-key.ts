import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Signatures in memory. With their texts, each takes about half a kilobyte. */
const MAX_SIGNATURES = 2_000;

/** Base64 characters of a signature: 132 bits. */
const SIGNATURE_CHARACTERS = 22;

/**
 * The key that signs cursors. It keeps the newest signatures: most cursors come back soon, and the same page of the same
 * list has the same cursor. A signature costs a tenth of a page of 20 records.
 */
export class CursorKey {
  private readonly signatures = new LRUCache<string, string>({ max: MAX_SIGNATURES });

  constructor(private readonly secret: Buffer) {}

  /** Returns the signature of a text. */
  sign(text: string): string {
    let signature = this.signatures.get(text);
    if (signature === undefined) {
      signature = createHmac('sha256', this.secret).update(text).digest('base64url').slice(0, SIGNATURE_CHARACTERS);
      this.signatures.set(text, signature);
    }
    return signature;
  }
}
