import { familyQueryOfType } from '../../queries/family-query.ts';
import { versionConditions } from '../../queries/moments/moment.ts';
import { readLinkPages } from '../../queries/records/link-pages.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { ReportContext } from '../report-type.ts';

type Document = Record<string, unknown>;
/** Two linked records, the other's type, and the position of the link's event. */
type LinkedPair = [id: string, otherId: string, otherType: string, fromPosition: number];

const RECORDS_PER_READ = 1_000;

const NOT_ARCHIVED: readonly Condition[] = [{ key: 'archived', op: 'eq', value: 0 }];

/** Items of a list within a row. A list of links has the same limit. */
const MAX_LIST_ITEMS = 100;

/** Returns the links of these records to records of some types at the report's moment, the newest link first. */
async function linkedPairs(
  { snapshot, organizationId, moment }: ReportContext,
  ids: readonly string[],
  types: readonly string[],
): Promise<LinkedPair[]> {
  const pairs: LinkedPair[] = [];
  const where = [
    { key: 'record_id', op: 'in', values: ids } as const,
    { key: 'other_type', op: 'in', values: types } as const,
    ...versionConditions(moment.position),
  ];
  for await (const rows of readLinkPages(snapshot.models, { organizationId, where })) {
    for (const { doc } of rows) {
      pairs.push([String(doc.record_id), String(doc.other_id), String(doc.other_type), Number(doc.from_position)]);
    }
  }
  // The sort is stable: links of one event stay in the order of their ids.
  return pairs.sort(([, , , a], [, , , b]) => b - a);
}

/** Returns the first 100 items as a row's field, and for a longer list its length as `…_total`. */
export function listWithTotal(name: string, all: readonly Document[]): Document {
  return all.length <= MAX_LIST_ITEMS
    ? { [name]: all }
    : { [name]: all.slice(0, MAX_LIST_ITEMS), [`${name}_total`]: all.length };
}

/**
 * Returns the linked records of some types for each of these records, the newest link first. Archived ones are left out.
 * @param among limits the result to these ids, archived ones included
 */
export async function linkedTo(
  context: ReportContext,
  ids: readonly string[],
  types: readonly string[],
  among?: ReadonlySet<string>,
): Promise<Map<string, Document[]>> {
  const all = ids.length === 0 ? [] : await linkedPairs(context, ids, types);
  const pairs = among === undefined ? all : all.filter(([, otherId]) => among.has(otherId));
  const matches = new Map<string, Document>();
  for (const type of types) {
    const otherIds = [...new Set(pairs.filter(([, , otherType]) => otherType === type).map(([, otherId]) => otherId))];
    const archiveConditions = among === undefined ? NOT_ARCHIVED : [];
    for (const document of await recordsAtMoment(context, type, otherIds, archiveConditions))
      matches.set(String(document.id), document);
  }
  const linkedById = new Map<string, Document[]>(ids.map((id) => [id, []]));
  for (const [id, otherId] of pairs) {
    const document = matches.get(otherId);
    if (document !== undefined) linkedById.get(id)!.push(document);
  }
  return linkedById;
}

/** Returns records of a type by id, as they were at the report's moment, archived or not. The order is undefined. */
export async function recordsAtMoment(
  { snapshot, organizationId, moment }: ReportContext,
  type: string,
  ids: readonly string[],
  extraConditions: readonly Condition[] = [],
): Promise<Document[]> {
  const documents: Document[] = [];
  for (let first = 0; first < ids.length; first += RECORDS_PER_READ) {
    const values = ids.slice(first, first + RECORDS_PER_READ);
    const matches = await snapshot.models.find({
      collection: familyQueryOfType(type).history,
      organizationId,
      where: [{ key: 'record_id', op: 'in', values }, ...versionConditions(moment.position), ...extraConditions],
      order: { key: null, direction: 'ASC' },
      limit: values.length,
    });
    documents.push(...matches.map(({ doc }) => doc));
  }
  return documents;
}

/** The conditions that find a record's version at the report's moment. */
export function conditionsForVersion({ moment }: ReportContext, id: string): Condition[] {
  return [{ key: 'record_id', op: 'eq', value: id }, ...versionConditions(moment.position)];
}

/** Returns a record as it was at the report's moment, archived or not. Returns null if it did not exist. */
export async function recordAtMoment(context: ReportContext, type: string, id: string): Promise<Document | null> {
  const [record = null] = await recordsAtMoment(context, type, [id]);
  return record;
}
