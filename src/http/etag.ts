/** Some servers in front add the name of their compression to a tag, such as `"a1-gzip"`. */
const COMPRESSION_SUFFIX = /-(?:gzip|br|deflate|zstd)"$/;

/**
 * Returns true if If-None-Match contains this tag, weak or not, or any tag (`*`). Koa's `fresh` is not used: it returns false if the client
 * also sends `Cache-Control: no-cache`, as some clients always do.
 */
export function etagMatches(ifNoneMatch: string, etag: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, '').replace(COMPRESSION_SUFFIX, '"');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || plain(tag) === plain(etag));
}
