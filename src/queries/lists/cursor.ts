import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalidField } from '../../commands/engine/refusal.ts';
import type { Scalar } from '../../stores/read-store.ts';
import { canonical } from '../../trail/canonical.ts';

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

/** The start of a list's next page. */
export interface PageCursor {
  /** True if the page starts among the records whose sort key is empty. They come last. */
  isKeyEmpty: boolean;
  key: Scalar | null;
  id: string;
  /** The moment that all pages show: its day, and its position (null for a list of the current state). */
  today: string;
  position: number | null;
}

/** Writes a signed cursor. The signature also covers the inputs that it is bound to: tool, organization, filter, order, as_of. */
export function writeCursor(key: CursorKey, boundTo: unknown, cursor: PageCursor): string {
  const { isKeyEmpty, key: sortKey, id, today, position } = cursor;
  return writeSignedCursor(key, boundTo, [isKeyEmpty ? 1 : 0, sortKey, id, today, position]);
}

/** Reads a cursor. @throws Refusal invalid_input on field `cursor` if it was not made for these inputs */
export function readCursor(key: CursorKey, boundTo: unknown, cursor: string): PageCursor {
  const value = readSignedCursor<[number, Scalar | null, string, string, number | null]>(key, boundTo, cursor);
  const [emptyFlag, sortKey, id, today, position] = value;
  return { isKeyEmpty: emptyFlag === 1, key: sortKey, id, today, position };
}

/** Writes any JSON value as a cursor, with a signature over it and the inputs it is bound to. */
export function writeSignedCursor(key: CursorKey, boundTo: unknown, value: unknown): string {
  return sign(key, boundTo, JSON.stringify(value));
}

/** Reads the value of a cursor. @throws Refusal invalid_input on `field` if it was not made for these inputs */
export function readSignedCursor<T>(key: CursorKey, boundTo: unknown, cursor: string, field = 'cursor'): T {
  const body = Buffer.from(cursor.split('.', 1)[0]!, 'base64url').toString();
  // Compared as text: base64 has several spellings of the same bytes, and only one is the cursor that was returned.
  const actual = Buffer.from(cursor);
  const expected = Buffer.from(sign(key, boundTo, body));
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
    throw invalidField(
      field,
      `This cursor isn’t valid for this call. Repeat the call that returned it, with the same inputs, or leave ${field} out.`,
    );
  }
  return JSON.parse(body) as T;
}

function sign(key: CursorKey, boundTo: unknown, body: string): string {
  const signature = key.sign(`${canonical(boundTo)}\n${body}`);
  return `${Buffer.from(body).toString('base64url')}.${signature}`;
}
