import { LOOPBACK_NAMES } from '../loopback.ts';

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

const MAX_LENGTH = 2_000;

/** What kind of place a redirect goes to. */
export type RedirectKind = 'WEB' | 'LOOPBACK' | 'EDITOR';

/** The kind, or null for what no code may be sent to. */
export function redirectKind(uri: string): RedirectKind | null {
  // Only what is written as it will be read: parsers differ in what they make of white space, `\` and `*`.
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[\\*#]/.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, hostname, port } = new URL(uri);
  if (EDITOR_SCHEMES.has(protocol)) return /^[^/?]*:\/*[^/?]*@/.test(uri) ? null : 'EDITOR';
  // The host as it is written is the host that is meant: no user name before it, no other way to write a number.
  const [, written = ''] = /^https?:\/\/([^/?]*)/i.exec(uri) ?? [];
  const [, host, ownPort = ''] = /^(.*?)(?::(\d+))?$/.exec(written.toLowerCase()) ?? [];
  const defaultPort = protocol === 'https:' ? '443' : '80';
  if (host !== hostname || (ownPort !== port && ownPort !== defaultPort)) return null;
  if (protocol === 'https:') return LOOPBACK_NAMES.has(hostname) ? null : 'WEB';
  return protocol === 'http:' && LOOPBACK_NAMES.has(hostname) ? 'LOOPBACK' : null;
}

/** Where a redirect goes, as a person can judge it: a host, or the editor's scheme. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return redirectKind(uri) === 'EDITOR' ? protocol.slice(0, -1) : host;
}
