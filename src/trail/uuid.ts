import { createHash } from 'node:crypto';

/** Returns a name-based UUID, version 5 (RFC 9562 section 5.5). @param namespace a UUID in its usual spelling */
export function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1').update(namespace.replaceAll('-', ''), 'hex').update(name, 'utf8').digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
