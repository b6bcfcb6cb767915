/** A path without characters that browsers strip, take for a slash, or read as another host. */
const SAFE_PATH = /^\/(?![/\\])[^\\\s\p{Cc}\p{Cf}]*$/u;
const MAX_PATH_LENGTH = 2_000;

/**
 * Returns the address to go to after sign-in: path and query within this service. Returns `fallback` for anything else,
 * above all for another site's address in disguise.
 */
export function safeNext(text: string | null | undefined, fallback = '/'): string {
  if (!text || text.length > MAX_PATH_LENGTH || !SAFE_PATH.test(text)) return fallback;
  const base = 'http://here.invalid';
  if (!URL.canParse(text, base)) return fallback;
  const url = new URL(text, base);
  // Dot segments may leave a path that begins with two slashes. Some proxies decode a path before they forward it.
  const path = decodePath(url.pathname);
  if (url.origin !== base || path === null || /^\/[/\\]/.test(path) || /[\\\p{Cc}]/u.test(path)) return fallback;
  return url.pathname + url.search;
}

function decodePath(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
