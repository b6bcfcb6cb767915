/** Nothing that a browser would read as another host's address, strip, or take for a slash. */
const SAFE = /^\/(?![/\\])[^\\\s\p{Cc}\p{Cf}]*$/u;
const MAX = 2_000;

/**
 * Where to go after signing in: an address within this service (path and query), or `otherwise` for anything else,
 * above all for an address of another site in whatever disguise.
 */
export function safeNext(text: string | null | undefined, otherwise = '/'): string {
  if (!text || text.length > MAX || !SAFE.test(text)) return otherwise;
  const here = 'http://here.invalid';
  if (!URL.canParse(text, here)) return otherwise;
  const url = new URL(text, here);
  // Dot segments may leave a path that begins with two slashes, and some proxies decode before they pass it on.
  const path = decoded(url.pathname);
  if (url.origin !== here || path === null || /^\/[/\\]/.test(path) || /[\\\p{Cc}]/u.test(path)) return otherwise;
  return url.pathname + url.search;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
