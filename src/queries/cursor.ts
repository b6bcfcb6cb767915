import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../commands/refusal.ts';
import type { Scalar } from '../stores/read-store.ts';
import { canonical } from '../trail/canonical.ts';

/** Where a walk through a list goes on. */
export interface PageCursor {
  /** The segment: records that have the order's key, or those that lack it. */
  empty: boolean;
  key: Scalar | null;
  id: string;
  /** The moment of the whole walk: its day and position. */
  today: string;
  position: number | null;
}

/** 132 bits. */
const SIGNATURE_CHARACTERS = 22;

/** A cursor is the place and a signature over it and all that it is bound to: tool, organization, filter, order, as_of. */
export function writeCursor(key: Buffer, boundTo: unknown, place: PageCursor): string {
  return writeSignedCursor(key, boundTo, [place.empty ? 1 : 0, place.key, place.id, place.today, place.position]);
}

/** @throws Refusal invalid_input on field `cursor` when it is not ours, or was made for something else */
export function readCursor(key: Buffer, boundTo: unknown, cursor: string): PageCursor {
  const place = readSignedCursor<[number, Scalar | null, string, string, number | null]>(key, boundTo, cursor);
  const [empty, placeKey, id, today, position] = place;
  return { empty: empty === 1, key: placeKey, id, today, position };
}

/** A cursor of any place: JSON, and a signature over it and all that it is bound to. */
export function writeSignedCursor(key: Buffer, boundTo: unknown, place: unknown): string {
  return sign(key, boundTo, JSON.stringify(place));
}

/** The place that was written. @throws Refusal invalid_input on `field` when it is not ours, or is another's */
export function readSignedCursor<T>(key: Buffer, boundTo: unknown, cursor: string, field = 'cursor'): T {
  const body = Buffer.from(cursor.split('.', 1)[0]!, 'base64url').toString();
  // Compared as texts: base64 has several spellings of the same bytes, and only one of them is the cursor given out.
  const given = Buffer.from(cursor);
  const expected = Buffer.from(sign(key, boundTo, body));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Refusal(
      'invalid_input',
      `This cursor is of another call: repeat the one that gave it with the same inputs, or begin without ${field}.`,
      { field },
    );
  }
  return JSON.parse(body) as T;
}

function sign(key: Buffer, boundTo: unknown, body: string): string {
  const signature = createHmac('sha256', key)
    .update(`${canonical(boundTo)}\n${body}`)
    .digest('base64url');
  return `${Buffer.from(body).toString('base64url')}.${signature.slice(0, SIGNATURE_CHARACTERS)}`;
}
