import type { Caller } from '../commands/caller.ts';
import { dateOf } from '../commands/dates.ts';
import { requirePermission, roleIn } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { historyOf } from '../projections/read-model.ts';
import { FAMILY_QUERIES, familyQueryFor } from './family-queries.ts';
import { recordHistory } from './list-changes.ts';
import { type Moment, momentOf, requireAsOfPermission, validAt } from './moment.ts';
import { cutToFit, MAX_ANSWER_CHARACTERS, maxJsonCharacters, presentRecords } from './present-records.ts';
import { isIncomplete, type Reader } from './reader.ts';
import { linkedRecords } from './record-links.ts';

export interface GetRecordsInput {
  ids: readonly string[];
  organization_id?: string | undefined;
  include: readonly string[];
  as_of?: string | undefined;
}

type Document = Record<string, unknown>;

/** Records by id, of any family, now or at any moment, in the order asked for. */
export async function getRecords(reader: Reader, caller: Caller, input: GetRecordsInput): Promise<object> {
  const ids = [...new Set(input.ids)];
  const now = await readNow(reader, caller, ids, input.organization_id);
  const organizationId = input.organization_id ?? now.organizationId ?? onlyValue(caller.roles.keys());
  const moment: Moment = await permittedMoment(reader, caller, organizationId, input);
  const documents =
    moment.position === null || organizationId === null
      ? now.documents
      : await readAsOf(reader, organizationId, [...now.documents.keys()], moment.position);
  const archivedToo = input.include.includes('ARCHIVED');
  const found = ids.filter((id) => documents.has(id) && (archivedToo || documents.get(id)!.archived_at === null));
  const records = await Promise.all(
    found.map(async (id) => {
      const family = familyQueryFor(id);
      const [record] = await presentRecords(reader, family, [documents.get(id)!], moment, 'FULL');
      const beside = await includedParts(reader, organizationId!, id, moment, input.include);
      return { type: family.type, ...record, ...beside };
    }),
  );
  const fit = takeThatFit(records);
  const incomplete = organizationId !== null && isIncomplete(reader, organizationId);
  return {
    records: fit.shown,
    not_found: ids.filter((id) => !found.includes(id)),
    omitted: fit.omitted,
    ...(moment.position === null ? {} : { as_of: { position: String(moment.position), date: moment.today } }),
    ...(incomplete ? { incomplete: true } : {}),
  };
}

/** What stands beside a record where it is asked for: links, evidence, history. */
async function includedParts(
  reader: Reader,
  organizationId: string,
  id: string,
  moment: Moment,
  include: readonly string[],
): Promise<Document> {
  const beside: Document = { ...(await familyQueryFor(id).extraFields?.(reader, organizationId, id, moment)) };
  const archivedToo = include.includes('ARCHIVED');
  if (include.includes('LINKS')) {
    const { documents, total } = await linkedRecords(reader, organizationId, id, moment, archivedToo, 'OTHERS');
    beside.links = { records: documents.map(recordLine), total };
  }
  if (include.includes('EVIDENCE')) {
    const { documents, total } = await linkedRecords(reader, organizationId, id, moment, archivedToo, 'EVIDENCE');
    const evidence = await presentRecords(reader, FAMILY_QUERIES.evd!, documents, moment, 'SUMMARY');
    beside.evidence = { records: evidence, total };
  }
  if (include.includes('HISTORY')) beside.history = await recordHistory(reader, organizationId, id, moment.position);
  return beside;
}

/** A linked record in one line. */
function recordLine(document: Document): Document {
  const { family, nameOf } = familyQueryFor(String(document.id)).model;
  const { id, archived_at } = document;
  return { id, type: family.type, name: nameOf?.(document) ?? document.name, ...(archived_at ? { archived_at } : {}) };
}

/** The moment asked about, where the caller may look at it. Without an organization nothing was found: any will do. */
async function permittedMoment(
  reader: Reader,
  caller: Caller,
  organizationId: string | null,
  { as_of, include }: GetRecordsInput,
): Promise<Moment> {
  if (organizationId === null) return { today: dateOf(reader.now().toISOString()), position: null };
  requirePermission(caller, organizationId, 'getRecords');
  if (include.includes('HISTORY')) requirePermission(caller, organizationId, 'getRecords HISTORY');
  requireAsOfPermission(reader, caller, organizationId, as_of);
  return momentOf(reader, organizationId, as_of);
}

function onlyValue<T>(values: Iterable<T>): T | null {
  const [first, second] = values;
  return second === undefined ? (first ?? null) : null;
}

/** Records of one organization that the caller may see. @throws Refusal when they are of two */
async function readNow(
  reader: Reader,
  caller: Caller,
  ids: readonly string[],
  wanted: string | undefined,
): Promise<{ organizationId: string | null; documents: Map<string, Document> }> {
  if (wanted !== undefined) roleIn(caller, wanted);
  const byFamily = new Map<string, string[]>();
  for (const id of ids) {
    const { plural } = familyQueryFor(id);
    byFamily.set(plural, [...(byFamily.get(plural) ?? []), id]);
  }
  const documents = new Map<string, Document>();
  let organizationId: string | null = null;
  for (const [collection, wantedIds] of byFamily) {
    for (const { id, doc } of await reader.models.get(collection, wantedIds)) {
      const owner = String(doc.organization_id);
      if (!caller.roles.has(owner) || (wanted !== undefined && owner !== wanted)) continue;
      organizationId ??= owner;
      if (organizationId !== owner) {
        throw new Refusal('invalid_input', 'Records of two organizations never meet in one call: ask for each apart.', {
          field: 'ids',
        });
      }
      documents.set(id, doc);
    }
  }
  return { organizationId, documents };
}

async function readAsOf(
  reader: Reader,
  organizationId: string,
  ids: readonly string[],
  position: number,
): Promise<Map<string, Document>> {
  const documents = new Map<string, Document>();
  for (const id of ids) {
    const [version] = await reader.models.find({
      collection: historyOf(familyQueryFor(id).plural),
      organizationId,
      where: [{ key: 'record_id', op: 'eq', value: id }, ...validAt(position)],
      order: { key: 'from_position', direction: 'DESC' },
      limit: 1,
    });
    if (version !== undefined) documents.set(id, version.doc);
  }
  return documents;
}

/** As many records as fit an answer, in order; the first always does, cut if need be. */
function takeThatFit(records: Document[]): { shown: Document[]; omitted: unknown[] } {
  if (records.reduce((sum, record) => sum + maxJsonCharacters(record), 0) <= MAX_ANSWER_CHARACTERS) {
    return { shown: records, omitted: [] };
  }
  const shown: Document[] = [];
  const omitted: unknown[] = [];
  let room = MAX_ANSWER_CHARACTERS;
  for (const record of records) {
    const size = JSON.stringify(record).length + 1;
    if (size <= room) {
      shown.push(record);
      room -= size;
    } else if (shown.length === 0) {
      shown.push(cutToFit(shortenIncluded(record)));
      room = 0;
    } else {
      omitted.push(record.id);
    }
  }
  return { shown, omitted };
}

/** Leaves the oldest of what stands beside a record out, the longest list first, until it fits. */
function shortenIncluded(record: Document): Document {
  let result = record;
  while (JSON.stringify(result).length > MAX_ANSWER_CHARACTERS) {
    const longest = longestIncluded(result);
    if (longest === null) break;
    const { field, list, entries } = longest;
    const beside = result[field] as Document;
    result = { ...result, [field]: { ...beside, [list]: entries.slice(0, entries.length >> 1), truncated: true } };
  }
  return result;
}

const INCLUDED_LISTS = [
  ['history', 'changes'],
  ['links', 'records'],
  ['evidence', 'records'],
] as const;

function longestIncluded(record: Document): { field: string; list: string; entries: unknown[] } | null {
  const lists = INCLUDED_LISTS.flatMap(([field, list]) => {
    const entries = (record[field] as Document | undefined)?.[list] as unknown[] | undefined;
    return entries === undefined || entries.length === 0 ? [] : [{ field, list, entries }];
  });
  const sizes = new Map(lists.map((one) => [one, JSON.stringify(one.entries).length]));
  return lists.sort((a, b) => sizes.get(b)! - sizes.get(a)!)[0] ?? null;
}
