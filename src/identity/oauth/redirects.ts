import { LOOPBACK_NAMES } from './addresses.ts';

/**
 * Private-use schemes of known editors and assistants. Other schemes without a dot are refused, because browsers and
 * operating systems handle some of them (`javascript:`, `ms-msdt:`).
 */
const KNOWN_APP_SCHEMES: ReadonlySet<string> = new Set(
  [
    ['cursor', 'vscode', 'vscode-insiders', 'vscodium', 'code-oss', 'windsurf', 'windsurf-next', 'zed', 'zed-preview'],
    ['jetbrains', 'claude', 'kiro', 'trae', 'antigravity', 'positron', 'goose', 'warp', 'raycast', 'lmstudio'],
  ]
    .flat()
    .map((name) => `${name}:`),
);

/** A private-use scheme of RFC 8252, section 7.1: a reversed domain name, such as `com.example.app:`. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+:$/;

/** A user name before the host: it could look like the host. */
const USER_INFO = /^[^/?]*:\/*[^/?]*@/;

const MAX_URI_LENGTH = 2_000;

/** The kind of a redirect's target. PRIVATE_USE is a program on the person's device with its own scheme. */
export type RedirectKind = 'WEB' | 'LOOPBACK' | 'PRIVATE_USE';

/** Returns the kind of a redirect address. Returns null if it must not receive an authorization code. */
export function redirectKind(uri: string): RedirectKind | null {
  // Parsers read white space, `\`, `*` and non-ASCII characters differently. RFC 6749 forbids a fragment (`#`).
  if (uri.length > MAX_URI_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[\\*#]/.test(uri) || !URL.canParse(uri))
    return null;
  const { protocol, hostname } = new URL(uri);
  if (isPrivateUse(protocol)) return USER_INFO.test(uri) ? null : 'PRIVATE_USE';
  if (!isHostCanonical(uri)) return null;
  const isLoopback = LOOPBACK_NAMES.has(hostname);
  if (protocol === 'https:') return isLoopback ? null : 'WEB';
  return protocol === 'http:' && isLoopback ? 'LOOPBACK' : null;
}

/** Returns true for a host in its canonical form: no user name before it, no other notation of an IP address. */
function isHostCanonical(uri: string): boolean {
  const { protocol, hostname, port } = new URL(uri);
  const [, authority = ''] = /^https?:\/\/([^/?]*)/i.exec(uri) ?? [];
  const [, host, explicitPort = ''] = /^(.*?)(?::(\d+))?$/.exec(authority.toLowerCase()) ?? [];
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return host === hostname && (explicitPort === port || explicitPort === defaultPort);
}

/** Returns a redirect's target as a person can judge it: a host, or the program's scheme. */
export function redirectTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  return isPrivateUse(protocol) ? protocol.slice(0, -1) : host;
}

const isPrivateUse = (protocol: string) => KNOWN_APP_SCHEMES.has(protocol) || REVERSED_DOMAIN.test(protocol);
