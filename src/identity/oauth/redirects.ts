/**
 * Private schemes that editors and assistants are known to register with the operating system. Any other is refused:
 * whichever program claims a scheme first gets what is sent to it.
 */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(
  [
    ['cursor', 'vscode', 'vscode-insiders', 'vscodium', 'code-oss', 'windsurf', 'windsurf-next', 'zed', 'zed-preview'],
    ['claude', 'kiro', 'trae', 'antigravity', 'positron', 'goose', 'warp', 'raycast', 'com.raycast', 'lmstudio'],
  ]
    .flat()
    .map((name) => `${name}:`),
);

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
const MAX_LENGTH = 2_000;

/** What kind of place a redirect goes to. */
export type RedirectKind = 'WEB' | 'LOOPBACK' | 'EDITOR';

/** The kind, or null for what no code may be sent to. */
export function redirectKind(uri: string): RedirectKind | null {
  // Only what is written as it will be read: parsers differ in what they make of white space, `\` and `*`.
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[\\*#]/.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || /^[a-z][a-z0-9+.-]*:\/*[^/?]*@/i.test(uri)) return null;
  if (protocol === 'https:') return LOOPBACK.has(hostname) || !/^https:\/\/[^/]/i.test(uri) ? null : 'WEB';
  if (protocol === 'http:') return LOOPBACK.has(hostname) && /^http:\/\/[^/]/i.test(uri) ? 'LOOPBACK' : null;
  return EDITOR_SCHEMES.has(protocol) ? 'EDITOR' : null;
}

/** Where a redirect goes, as a person can judge it: a host, or the editor's scheme. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return redirectKind(uri) === 'EDITOR' ? protocol.slice(0, -1) : host;
}
