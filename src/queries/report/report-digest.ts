import { createHash, type Hash } from 'node:crypto';
import { canonical } from '../../trail/canonical.ts';

/** Characters that are hashed at once. */
const CHUNK = 32_768;

/**
 * SHA-256, in hexadecimal digits, of a value's canonical form (RFC 8785): that of trail/canonical.ts. Arrays in it
 * may be async iterables, so that a long one need not be held as a whole.
 */
export async function digestOf(value: unknown): Promise<string> {
  const hash = createHash('sha256');
  await feed(hash, value);
  return hash.digest('hex');
}

async function feed(hash: Hash, value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return void hash.update(canonical(value));
  if (Symbol.asyncIterator in value) {
    let text = '[';
    let first = true;
    for await (const item of value as AsyncIterable<unknown>) {
      text += first ? canonical(item) : `,${canonical(item)}`;
      first = false;
      if (text.length < CHUNK) continue;
      hash.update(text);
      text = '';
    }
    return void hash.update(`${text}]`);
  }
  if (Array.isArray(value)) {
    hash.update('[');
    for (const [index, item] of (value as unknown[]).entries()) {
      if (index > 0) hash.update(',');
      await feed(hash, item);
    }
    return void hash.update(']');
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Names sort by their UTF-16 code units, which is what comparing strings does.
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  hash.update('{');
  for (const [index, [name, member]] of members.entries()) {
    hash.update(`${index > 0 ? ',' : ''}${canonical(name)}:`);
    await feed(hash, member);
  }
  hash.update('}');
}
