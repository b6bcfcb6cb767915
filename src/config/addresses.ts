import { isIP } from 'node:net';

/** Returns true if a host means all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns true if only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns true for a web address without a path. Cookies and the well-known OAuth documents need a host of their own. */
export function isOrigin(text: string): boolean {
  return isWebAddress(text) && new URL(text).pathname === '/';
}

/** Returns true for an origin as browsers send it: no path, no default port, lower case. It must be https, or on this machine. */
export function isBrowserOrigin(text: string): boolean {
  return isSecureAddress(text) && new URL(text).origin === text && !text.includes('*');
}

/** Returns true for a web address with https, or with http on this machine. */
export function isSecureAddress(text: string): boolean {
  return isWebAddress(text) && (text.startsWith('https:') || isLoopback(new URL(text).hostname));
}

/** Returns true for an http or https address without query, fragment, user or password. */
function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || /[?#@\s\\]/.test(text)) return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/** Returns true for an IP address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32));
}
