import { idPrefix } from '../../commands/engine/ids.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import {
  hasPermission,
  requirePermission,
  roleIn,
  secondFactorNeeded,
} from '../../commands/organization/permissions.ts';
import { CONTROL } from '../../register/control.ts';
import { recordHistory } from '../changes/list-changes.ts';
import { FAMILY_QUERIES, type FamilyQuery, familyQueryFor } from '../family-query.ts';
import { answerNotes } from '../lists/list-records.ts';
import { momentOf, type QueryContext, versionConditions } from '../moments/moment.ts';
import type { Reader, Snapshot } from '../moments/snapshot.ts';
import { PROPOSAL_PREFIX, readProposals } from '../proposals.ts';
import { fieldAuthors } from './field-authors.ts';
import { cutToFit, MAX_ANSWER_CHARACTERS, maxJsonCharacters, presentRecords } from './present-records.ts';
import { idsByCollection, idsOfLinkedRecords, type LinkedRecord, linkedRecords } from './record-links.ts';

export interface GetRecordsInput {
  /** Ids, and numbers and names that no record has. */
  ids: readonly string[];
  organization_id?: string | undefined;
  include?: readonly string[] | undefined;
  as_of?: string | undefined;
}

type Document = Record<string, unknown>;

/** Reads records of any family by id, now or at a past moment, in the order of the ids. */
export async function getRecords(reader: Reader, caller: Caller, input: GetRecordsInput): Promise<object> {
  const snapshot = reader.snapshot();
  const { include = [] } = input;
  const all = [...new Set(input.ids)];
  const proposals = await readProposals(snapshot, visibleOrganizations(caller, input), all.filter(isProposal));
  const ids = all.filter((id) => !proposals.some((proposal) => proposal.id === id));
  if (ids.length === 0) return { records: proposals, not_found: [], omitted: [] };
  const currentRecords = await readNow(snapshot, caller, ids.filter(isId), input.organization_id);
  const organizationId = input.organization_id ?? currentRecords.organizationId ?? onlyValue(caller.roles.keys());
  if (organizationId === null) return { records: proposals, not_found: ids, omitted: [] };
  requirePermission(caller, organizationId, 'readRecords');
  const moment = await momentOf(snapshot, organizationId, input.as_of);
  const context = { snapshot, organizationId, moment };
  const documents =
    moment.position === null
      ? currentRecords.documents
      : await readAsOf(snapshot, organizationId, [...currentRecords.documents.keys()], moment.position);
  const includeArchived = include.includes('ARCHIVED');
  const foundIds = ids.filter(
    (id) => documents.has(id) && (includeArchived || documents.get(id)!.archived_at === null),
  );
  const records = await Promise.all(
    foundIds.map(async (id) => {
      const family = familyQueryFor(id);
      const [record] = await presentRecords(context, family, [documents.get(id)!], 'TYPED');
      const hasParts = include.length > 0 || 'record_ids' in family.fields;
      return hasParts ? Object.assign(record!, await includedParts(context, family, record!, include)) : record!;
    }),
  );
  const fit = selectFitting(records);
  const not_found = ids.filter((id) => !foundIds.includes(id));
  const answer = { records: [...fit.records, ...proposals], not_found, omitted: fit.omitted };
  return Object.assign(answer, archivedHint(not_found, documents), await answerNotes(context));
}

const isId = (text: string): boolean => idPrefix(text) !== null;
const isProposal = (text: string): boolean => idPrefix(text) === PROPOSAL_PREFIX;

/** Returns the organizations whose proposals a caller may read. */
function visibleOrganizations(caller: Caller, { organization_id }: GetRecordsInput): string[] {
  const reached = organization_id === undefined ? [...caller.roles.keys()] : [organization_id];
  return reached.filter((id) => hasPermission(caller, id, 'readRecords'));
}

/** Says which of the ids that were not found belong to archived records. */
function archivedHint(notFound: readonly string[], documents: ReadonlyMap<string, Document>): { hint?: string } {
  const archived = notFound.filter((id) => documents.has(id));
  if (archived.length === 0) return {};
  const are = archived.length === 1 ? 'is' : 'are';
  return { hint: `${archived.join(', ')} ${are} archived. To read archived records too, add ARCHIVED to include.` };
}

/** Reads the included parts of a record: links, evidence, history, authors. */
async function includedParts(
  context: QueryContext,
  { type, fields, model }: FamilyQuery,
  record: Document,
  include: readonly string[],
): Promise<Document> {
  const id = String(record.id);
  const [linkedIds] = 'record_ids' in fields ? await idsOfLinkedRecords(context, [id]) : [];
  const parts: Document = { ...linkedIds };
  const includeArchived = include.includes('ARCHIVED');
  if (include.includes('LINKS')) {
    const { links, total } = await linkedRecords(context, id, 'OTHERS', includeArchived);
    parts.links = { records: links.map(linkLine), total };
  }
  if (include.includes('EVIDENCE')) {
    const { links, total } = await linkedRecords(context, id, 'EVIDENCE', includeArchived);
    const documents = links.map(({ document }) => document);
    const evidence = await presentRecords(context, FAMILY_QUERIES.evd!, documents, 'SUMMARY');
    const hint = type === CONTROL.type && total === 0 ? evidenceHint(record) : {};
    parts.evidence = { records: evidence, total, ...hint };
  }
  if (include.includes('HISTORY')) parts.history = await recordHistory(context, id);
  if (include.includes('AUTHORS')) parts.authors = await fieldAuthors(context, model, record);
  return parts;
}

/** Says where the evidence of a control's measures is, because reports count it as the control's too. */
function evidenceHint({ id, measure_count }: Document): { hint?: string } {
  if (measure_count === 0) return {};
  const call = `listMeasures with filter.linked_to ${id}`;
  return {
    hint: `This counts only evidence linked with the control itself. For that of its measures, call ${call}, then getReport EVIDENCE with filter.linked_to a measure.`,
  };
}

function linkLine({ document, relation }: LinkedRecord): Document {
  const { family, nameOf } = familyQueryFor(String(document.id)).model;
  const { id, archived_at } = document;
  const name = nameOf(document);
  return {
    id,
    type: family.type,
    name,
    ...(relation === null ? {} : { relation }),
    ...(archived_at ? { archived_at } : {}),
  };
}

function onlyValue<T>(values: Iterable<T>): T | null {
  const [first, second] = values;
  return second === undefined ? (first ?? null) : null;
}

/** Reads the current records that the caller can see. @throws Refusal if they belong to several organizations */
async function readNow(
  snapshot: Snapshot,
  caller: Caller,
  ids: readonly string[],
  requestedId: string | undefined,
): Promise<{ organizationId: string | null; documents: Map<string, Document> }> {
  if (requestedId !== undefined) roleIn(caller, requestedId);
  const isVisible = (organizationId: string) =>
    caller.roles.has(organizationId) && (requestedId === undefined || organizationId === requestedId);
  const documents = new Map<string, Document>();
  const organizationIds = new Set<string>();
  for (const [collection, collectionIds] of idsByCollection(ids)) {
    for (const { id, doc } of await snapshot.models.get(collection, collectionIds)) {
      const organizationId = String(doc.organization_id);
      if (caller.missingFactor?.organizations.has(organizationId)) throw secondFactorNeeded(caller.missingFactor);
      if (!isVisible(organizationId)) continue;
      organizationIds.add(organizationId);
      documents.set(id, doc);
    }
  }
  if (organizationIds.size > 1) {
    throw invalidField('ids', 'All records must belong to one organization. Split the call.');
  }
  return { organizationId: onlyValue(organizationIds), documents };
}

async function readAsOf(
  snapshot: Snapshot,
  organizationId: string,
  ids: readonly string[],
  position: number,
): Promise<Map<string, Document>> {
  const documents = new Map<string, Document>();
  for (const id of ids) {
    const [version] = await snapshot.models.find({
      collection: familyQueryFor(id).history,
      organizationId,
      where: [{ key: 'record_id', op: 'eq', value: id }, ...versionConditions(position)],
      order: { key: 'from_position', direction: 'DESC' },
      limit: 1,
    });
    if (version !== undefined) documents.set(id, version.doc);
  }
  return documents;
}

/** Returns the records that fit into an answer, in order. The first always does, shortened if necessary. */
function selectFitting(records: Document[]): { records: Document[]; omitted: unknown[] } {
  if (records.reduce((sum, record) => sum + maxJsonCharacters(record), 0) <= MAX_ANSWER_CHARACTERS) {
    return { records, omitted: [] };
  }
  const fittingRecords: Document[] = [];
  const omitted: unknown[] = [];
  let charactersLeft = MAX_ANSWER_CHARACTERS;
  for (const record of records) {
    const size = JSON.stringify(record).length + 1;
    if (size <= charactersLeft) {
      fittingRecords.push(record);
      charactersLeft -= size;
    } else if (fittingRecords.length === 0) {
      fittingRecords.push(cutToFit(shortenIncluded(record)));
      charactersLeft = 0;
    } else {
      omitted.push(record.id);
    }
  }
  return { records: fittingRecords, omitted };
}

/** Halves the longest included list, dropping its oldest entries, until the record fits. */
function shortenIncluded(record: Document): Document {
  let result = record;
  while (JSON.stringify(result).length > MAX_ANSWER_CHARACTERS) {
    const longest = longestIncluded(result);
    if (longest === null) break;
    const { field, list, entries } = longest;
    const part = result[field] as Document;
    result = { ...result, [field]: { ...part, [list]: entries.slice(0, entries.length >> 1), truncated: true } };
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
  const sizes = new Map(lists.map((list) => [list, JSON.stringify(list.entries).length]));
  return lists.sort((a, b) => sizes.get(b)! - sizes.get(a)!)[0] ?? null;
}
