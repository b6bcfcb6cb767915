import { historyOf } from '../../projections/read-model.ts';
import type { Condition } from '../../stores/read-store.ts';
import { queryOfType } from '../families.ts';
import { holdingAt } from '../moment.ts';
import type { ReportContext } from './report-type.ts';

type Document = Record<string, unknown>;
/** Two records beside each other, and since which ordinal. */
type Pair = [id: string, other: string, type: string, since: number];

/** Links read in one go. */
const AT_ONCE = 1_000;

const LIVE: readonly Condition[] = [{ key: 'archived', op: 'eq', value: 0 }];

/** A list within a row has so many at most, as one of links has. */
const SHOWN = 100;

/** Ids of records of some types beside each of these, at the report's moment, the newest link first. */
async function idsBeside(
  { reader, organizationId, moment }: ReportContext,
  ids: readonly string[],
  types: readonly string[],
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const where = [
    { key: 'record_id', op: 'in', values: ids } as const,
    { key: 'other_type', op: 'in', values: types } as const,
    ...holdingAt(moment.ordinal),
  ];
  const query = {
    collection: 'links',
    organizationId,
    where,
    order: { key: null, direction: 'ASC' },
    limit: AT_ONCE,
  } as const;
  let after: { key: null; id: string } | undefined;
  for (;;) {
    const rows = await reader.models.find(after ? { ...query, after } : query);
    for (const { doc } of rows) {
      pairs.push([String(doc.record_id), String(doc.other_id), String(doc.other_type), Number(doc.from_position)]);
    }
    // Those of one event stay in the order of their ids.
    if (rows.length < AT_ONCE) return pairs.sort(([, , , a], [, , , b]) => b - a);
    after = { key: null, id: rows.at(-1)!.id };
  }
}

/** A list within a row as a row can have it: the newest, and how many there are where that is more. */
export function newestOf(name: string, all: readonly Document[]): Document {
  return all.length <= SHOWN ? { [name]: all } : { [name]: all.slice(0, SHOWN), [`${name}_total`]: all.length };
}

/**
 * Live records of some types beside each of these: of each record those it is linked with, the newest first.
 * @param among only these, archived ones too
 */
export async function besideEach(
  context: ReportContext,
  ids: readonly string[],
  types: readonly string[],
  among?: ReadonlySet<string>,
): Promise<Map<string, Document[]>> {
  const all = ids.length === 0 ? [] : await idsBeside(context, ids, types);
  const pairs = among === undefined ? all : all.filter(([, other]) => among.has(other));
  const found = new Map<string, Document>();
  for (const type of types) {
    const wanted = [...new Set(pairs.filter(([, , other]) => other === type).map(([, other]) => other))];
    const only = among === undefined ? LIVE : [];
    for (const document of await recordsThen(context, type, wanted, only)) found.set(String(document.id), document);
  }
  const beside = new Map<string, Document[]>(ids.map((id) => [id, []]));
  for (const [id, other] of pairs) {
    const document = found.get(other);
    if (document !== undefined) beside.get(id)!.push(document);
  }
  return beside;
}

/** Records of a type by their ids as they then were, archived or not; in no order. */
export async function recordsThen(
  { reader, organizationId, moment }: ReportContext,
  type: string,
  ids: readonly string[],
  only: readonly Condition[] = [],
): Promise<Document[]> {
  const documents: Document[] = [];
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const values = ids.slice(first, first + AT_ONCE);
    const found = await reader.models.find({
      collection: historyOf(queryOfType(type).plural),
      organizationId,
      where: [{ key: 'record_id', op: 'in', values }, ...holdingAt(moment.ordinal), ...only],
      order: { key: null, direction: 'ASC' },
      limit: values.length,
    });
    documents.push(...found.map(({ doc }) => doc));
  }
  return documents;
}

/** A record's version that held at the report's moment, as conditions. */
export function versionThen({ moment }: ReportContext, id: string): Condition[] {
  return [{ key: 'record_id', op: 'eq', value: id }, ...holdingAt(moment.ordinal)];
}

/** The record with an id as it was at the report's moment, archived or not; null where it was not there. */
export async function recordThen(context: ReportContext, type: string, id: string): Promise<Document | null> {
  const { reader, organizationId } = context;
  const [found] = await reader.models.find({
    collection: historyOf(queryOfType(type).plural),
    organizationId,
    where: versionThen(context, id),
    order: { key: null, direction: 'ASC' },
    limit: 1,
  });
  return found?.doc ?? null;
}
