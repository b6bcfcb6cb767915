/**
 * Whether one of the tags of If-None-Match is this one, weak or not. Koa's own answer is no as soon as the client asks for a
 * fresh answer, as some do whenever they name a tag.
 */
export function etagMatches(ifNoneMatch: string, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag));
}
