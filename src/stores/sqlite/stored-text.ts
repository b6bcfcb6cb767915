import type { CollectionSpec } from '../read-store.ts';

/*
 * The text of a document. In a collection with declared members it is a JSON array of their values, without their
 * names, which would take half of the space. One more element holds what isn't declared.
 */

type Json = Record<string, unknown>;

/** The name, among the members that aren't declared, of the list of declared members that the document lacks. */
const LACKING = '';

/** Returns the text of a document. */
export function toText({ members }: Pick<CollectionSpec, 'members'>, doc: object): string {
  if (members === undefined) return JSON.stringify(doc);
  const values: unknown[] = [];
  let declaredCount = 0;
  for (const name of members) {
    const value = (doc as Json)[name];
    if (value !== undefined) declaredCount += 1;
    values.push(value);
  }
  const isUsual = declaredCount === members.length && Object.keys(doc).length === declaredCount;
  if (!isUsual) values.push(otherMembers(members, doc as Json));
  return JSON.stringify(values);
}

function otherMembers(members: readonly string[], doc: Json): Json {
  const others = Object.fromEntries(Object.entries(doc).filter(([name]) => !members.includes(name)));
  const lacking = members.filter((name) => doc[name] === undefined);
  return lacking.length === 0 ? others : { ...others, [LACKING]: lacking };
}

/** Returns the function that makes a document from its text, parsed. */
export function documentMaker({ members }: Pick<CollectionSpec, 'members'>): (parsed: unknown) => Json {
  if (members === undefined) return (parsed) => parsed as Json;
  // Setting the members of a copy is much faster than adding them one by one, if JSON.parse made the original.
  const noValues = JSON.parse(`{${members.map((name) => `${JSON.stringify(name)}:null`)}}`) as Json;
  return (parsed) => {
    const values = parsed as unknown[];
    const doc = { ...noValues };
    for (let index = 0; index < members.length; index += 1) doc[members[index]!] = values[index];
    if (values.length === members.length) return doc;
    const { [LACKING]: lacking = [], ...others } = values.at(-1) as Json;
    for (const name of lacking as string[]) delete doc[name];
    return Object.assign(doc, others);
  };
}
