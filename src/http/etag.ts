/**
 * Returns true if If-None-Match contains this tag, weak or not. Koa's `fresh` is not used: it returns false if the client
 * also sends `Cache-Control: no-cache`, as some clients always do.
 */
export function etagMatches(ifNoneMatch: string, etag: string): boolean {
  const withoutWeakPrefix = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => withoutWeakPrefix(tag) === withoutWeakPrefix(etag));
}
