import type { CollectionSpec } from '../../../src/stores/read-store.ts';

/** Returns the JSON path, in a document's stored text, of a path that begins with a member's name. */
export function memberPath({ members }: Pick<CollectionSpec, 'members'>, path: string): string {
  if (members === undefined) return `$.${path}`;
  const [first] = /^[^.[]+/.exec(path)!;
  const place = members.indexOf(first);
  return place < 0 ? `$[${members.length}].${path}` : `$[${place}]${path.slice(first.length)}`;
}
