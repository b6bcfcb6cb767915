import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../../commands/engine/refusal.ts';
import { modelOfId } from '../../projections/models.ts';
import { historyOf } from '../../projections/read-models/read-model.ts';
import { OPEN_END, type RelatedCounts } from '../../projections/relations/related-counts.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { RelationOfRecord } from '../../register/link.ts';
import type { Condition } from '../../stores/read-store.ts';
import { type FamilyQuery, familyQueryFor } from '../family-query.ts';
import { keyIn } from '../lists/filters.ts';
import { type QueryContext, recordIdCondition, versionConditions } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readLinkPages } from './link-pages.ts';

type Document = Record<string, unknown>;

/** Linked records that LINKS, EVIDENCE and record_ids show. */
const MAX_LINKED_RECORDS = 100;

/** Linked records that a record's page shows: all controls of a framework, if it isn't huge. */
const MAX_LINKED_RECORDS_OF_PAGE = 500;

/** A linked record, and the relation to it as the other record has it; null without one. */
export interface LinkedRecord {
  document: Document;
  relation: RelationOfRecord | null;
}

/** A record's linked records, newest link first, and their total number. */
export interface LinkedRecords {
  links: LinkedRecord[];
  total: number;
}

/** The end of a link: the other record's id, and the relation to it. */
interface LinkEnd {
  /** The record at the other end of the link. */
  from: string;
  id: string;
  relation: RelationOfRecord | null;
}

const linkEndOf = ({ record_id, other_id, relation }: Document): LinkEnd => ({
  from: String(record_id),
  id: String(other_id),
  relation: (relation ?? null) as RelationOfRecord | null,
});

/** Turns the filter `linked_to` into a condition. @throws Refusal not_found */
export async function linkedToCondition(
  context: QueryContext,
  family: FamilyQuery,
  filter: Record<string, unknown>,
): Promise<Condition> {
  const id = String(filter.linked_to);
  const target = await recordAt(context, id, 'filter.linked_to');
  const ids: string[] = [];
  if (target !== null && (target.archived_at === null || filter.include_archived)) {
    for await (const ends of linkBatches(context, [id], [family.type])) ids.push(...ends.map((end) => end.id));
  }
  return recordIdCondition(ids, context.moment);
}

/** Returns a record as it was at the moment; null if it did not exist yet. @throws Refusal not_found */
export async function recordAt(context: QueryContext, id: string, field: string): Promise<Document | null> {
  const { plural } = modelOfId(id)!.family;
  const [current] = await context.snapshot.models.get(plural, [id]);
  if (current?.doc.organization_id !== context.organizationId) {
    throw new Refusal('not_found', `There is no ${id} here. List the records to find the id.`, { field });
  }
  if (context.moment.position === null) return current.doc;
  const [past] = await documentsAt(context, [id]);
  return past ?? null;
}

function linksAt({ organizationId, moment }: QueryContext, ids: readonly string[], types: readonly string[]) {
  const where: Condition[] = [keyIn('record_id', ids), { key: 'other_type', op: 'in', values: types }];
  if (moment.position === null) where.push({ key: 'until_position', op: 'eq', value: OPEN_END });
  else where.push(...versionConditions(moment.position));
  return { collection: 'links', organizationId, where };
}

const NEWEST_LINK_FIRST = { key: 'from_position', direction: 'DESC' } as const;

/** Reads records' links to records of these types in batches, newest first. */
async function* linkBatches(
  context: QueryContext,
  ids: readonly string[],
  types: readonly string[],
): AsyncGenerator<LinkEnd[]> {
  const source = linksAt(context, ids, types);
  for await (const rows of readLinkPages(context.snapshot.models, source, NEWEST_LINK_FIRST)) {
    yield rows.map(({ doc }) => linkEndOf(doc));
  }
}

/** Groups record ids by the collection of their current documents. */
export function idsByCollection(ids: readonly string[]): ReadonlyMap<string, string[]> {
  const byCollection = new Map<string, string[]>();
  for (const id of ids) {
    const { plural } = modelOfId(id)!.family;
    const collectionIds = byCollection.get(plural);
    if (collectionIds === undefined) byCollection.set(plural, [id]);
    else collectionIds.push(id);
  }
  return byCollection;
}

export const DOCUMENTS_PER_READ = 200;

/** Returns documents of any families by id, as they were at a moment, in no particular order. */
export async function documentsAt(context: QueryContext, ids: readonly string[]): Promise<Document[]> {
  const documents: Document[] = [];
  for (let first = 0; first < ids.length; first += DOCUMENTS_PER_READ) {
    // An embedded store answers synchronously, so other calls get a turn before each of several reads.
    if (ids.length > DOCUMENTS_PER_READ) await nextTurn();
    for (const [plural, some] of idsByCollection(ids.slice(first, first + DOCUMENTS_PER_READ))) {
      documents.push(...(await readDocuments(context, plural, some)));
    }
  }
  return documents;
}

async function readDocuments(
  { snapshot, organizationId, moment }: QueryContext,
  plural: string,
  ids: readonly string[],
): Promise<Document[]> {
  const rows =
    moment.position === null
      ? await snapshot.models.get(plural, ids)
      : await snapshot.models.find({
          collection: historyOf(plural),
          organizationId,
          where: [{ key: 'record_id', op: 'in', values: ids }, ...versionConditions(moment.position)],
          order: { key: null, direction: 'ASC' },
          limit: ids.length,
        });
  return rows.map(({ doc }) => doc);
}

const OTHER_TYPES = FAMILY_DESCRIPTIONS.map(({ type }) => type).filter((type) => type !== 'EVIDENCE');

/** Returns a record's newest links at a moment: either its evidence, or all others. */
export function linkedRecords(
  context: QueryContext,
  id: string,
  selection: 'EVIDENCE' | 'OTHERS',
  includeArchived = false,
): Promise<LinkedRecords> {
  const types = selection === 'EVIDENCE' ? ['EVIDENCE'] : OTHER_TYPES;
  return includeArchived ? newestLinkedRecords(context, id, types) : liveLinkedRecords(context, id, types);
}

/** Reads the newest links only, and lets the store count the others. */
async function newestLinkedRecords(
  context: QueryContext,
  id: string,
  types: readonly string[],
  limit = MAX_LINKED_RECORDS,
) {
  const { models } = context.snapshot;
  const source = linksAt(context, [id], types);
  const rows = await models.find({ ...source, order: NEWEST_LINK_FIRST, limit });
  const links = await readLinked(
    context,
    rows.map(({ doc }) => linkEndOf(doc)),
  );
  if (rows.length < limit) return { links, total: links.length };
  const [count] = await models.count(source);
  return { links, total: count!.total };
}

/** Returns the links that a record's page shows, archived records too, and how many there are of each type. */
export async function linkedRecordsOfPage(
  context: QueryContext,
  id: string,
): Promise<LinkedRecords & { totals: ReadonlyMap<string, number> }> {
  const linked = await newestLinkedRecords(context, id, OTHER_TYPES, MAX_LINKED_RECORDS_OF_PAGE);
  const totals = new Map<string, number>();
  if (linked.total > linked.links.length) {
    const counts = await context.snapshot.models.count(linksAt(context, [id], OTHER_TYPES), ['other_type']);
    for (const { values, total } of counts) totals.set(String(values[0]), total);
    return { ...linked, totals };
  }
  for (const { document } of linked.links) {
    const { type } = familyQueryFor(String(document.id));
    totals.set(type, (totals.get(type) ?? 0) + 1);
  }
  return { ...linked, totals };
}

/** Reads all linked records, because links don't say which of them are archived. */
async function liveLinkedRecords(context: QueryContext, id: string, types: readonly string[]): Promise<LinkedRecords> {
  const links: LinkedRecord[] = [];
  let total = 0;
  for await (const ends of linkBatches(context, [id], types)) {
    for (const { document, relation } of await readLinked(context, ends)) {
      if (document.archived_at !== null) continue;
      total += 1;
      if (links.length < MAX_LINKED_RECORDS) links.push({ document, relation });
    }
  }
  return { links, total };
}

/** Reads the records at the ends of links, in the same order. A parked record has no document. */
async function readLinked(
  context: QueryContext,
  ends: readonly LinkEnd[],
): Promise<(LinkedRecord & Pick<LinkEnd, 'from'>)[]> {
  const documents = await documentsAt(context, [...new Set(ends.map(({ id }) => id))]);
  const byId = new Map(documents.map((document) => [String(document.id), document]));
  return ends.flatMap(({ from, id, relation }) => {
    const document = byId.get(id);
    return document === undefined ? [] : [{ from, document, relation }];
  });
}

/** Yields the live records that these records are linked with, newest link first, in batches. */
export async function* liveLinkBatches(
  context: QueryContext,
  ids: readonly string[],
  types: readonly string[],
): AsyncGenerator<{ from: string; document: Document }[]> {
  for await (const ends of linkBatches(context, ids, types)) {
    yield (await readLinked(context, ends)).filter(({ document }) => document.archived_at === null);
  }
}

/** The newest links of a record that was added to other records, such as evidence, and their number. */
interface LinkedIds {
  record_ids: string[];
  record_count: number;
}

/** Returns the `LinkedIds` of each of these records, in the same order. */
export async function idsOfLinkedRecords(context: QueryContext, ids: readonly string[]): Promise<LinkedIds[]> {
  const linkedIds = new Map<string, LinkedIds>(ids.map((id) => [id, { record_ids: [], record_count: 0 }]));
  for await (const links of liveLinkBatches(context, ids, OTHER_TYPES)) {
    for (const { from, document } of links) {
      const ofRecord = linkedIds.get(from)!;
      ofRecord.record_count += 1;
      if (ofRecord.record_ids.length < MAX_LINKED_RECORDS) ofRecord.record_ids.push(String(document.id));
    }
  }
  return ids.map((id) => linkedIds.get(id)!);
}

/** Counts the live records that point at each record. In the counts, a label without a colon is a record type. */
export async function countReferences(snapshot: Snapshot, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const [row] = await snapshot.models.get(familyQueryFor(id).plural, [id]);
    const relatedCounts = (row?.doc.related_counts ?? {}) as RelatedCounts;
    const types = Object.entries(relatedCounts).filter(([label]) => !label.includes(':'));
    counts.set(
      id,
      types.reduce((sum, [, count]) => sum + count, 0),
    );
  }
  return counts;
}
