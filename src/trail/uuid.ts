import { bytesOf } from './bytes.ts';
import type { TrailCrypto } from './crypto.ts';

/** Returns a name-based UUID, version 5 (RFC 9562 section 5.5). @param namespace a UUID in its usual spelling */
export function uuidV5(crypto: TrailCrypto, namespace: string, name: string): string {
  const hash = crypto.sha1(bytesOf(namespace.replaceAll('-', ''), name));
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
