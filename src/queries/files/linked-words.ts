import { linkedFamiliesOf } from '../../register/families.ts';
import { type FamilyQuery, familyQueryFor } from '../family-query.ts';
import type { QueryContext } from '../moments/moment.ts';
import { liveLinkBatches } from '../records/record-links.ts';
import { numberOf } from '../records/record-number.ts';

/* The columns of linked records in a table of records: `vendors`, `controls`. An import reads them as links. */

/** Returns the columns, by the plural of the linked family. Evidence has `record_ids` instead. */
export function linkColumns(family: FamilyQuery): string[] {
  return 'record_ids' in family.fields ? [] : linkedFamiliesOf(family).map(({ plural }) => plural);
}

/** Adds the columns to records: the words of the linked records of each family, newest link first. */
export async function withLinkedWords(
  context: QueryContext,
  family: FamilyQuery,
  records: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const columns = linkColumns(family);
  if (columns.length === 0) return [...records];
  const ids = records.map(({ id }) => String(id));
  const words = new Map(ids.map((id) => [id, new Map<string, string[]>()]));
  const types = linkedFamiliesOf(family).map(({ type }) => type);
  for await (const links of liveLinkBatches(context, ids, types)) {
    for (const { from, document } of links) {
      const { plural } = familyQueryFor(String(document.id));
      const byFamily = words.get(from)!;
      byFamily.set(plural, [...(byFamily.get(plural) ?? []), wordOf(document)]);
    }
  }
  return records.map((record) => ({ ...record, ...Object.fromEntries(words.get(String(record.id))!) }));
}

const MAX_NAME_CHARACTERS = 200;
/** Characters by which a cell of words is split, or by which a word would begin a formula. */
const SEPARATOR = /[;|\n]|^[=+\-@]/;
/** A clause and a control of Annex A can have such a number. */
const BARE_NUMBER = /^\d+(?:\.\d+)*$/;

/** Returns a record's number, or its name; its id where neither would be read as this record. */
function wordOf(document: Readonly<Record<string, unknown>>): string {
  const id = String(document.id);
  const number = numberOf(document);
  const word = number === null || BARE_NUMBER.test(number) ? familyQueryFor(id).model.nameOf(document) : number;
  return word.length > MAX_NAME_CHARACTERS || SEPARATOR.test(word) ? id : word;
}
