import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { normalizedWords } from '../../projections/read-models/search-words.ts';
import { FAMILY_QUERIES, type FamilyQuery } from '../family-query.ts';
import type { Reader } from '../moments/snapshot.ts';
import { findByNumber } from '../records/named-records.ts';
import { nearRecordIds, readRecordPage } from './list-records.ts';

const MAX_HITS_PER_FAMILY = 8;

/** Words of a query without results that are searched alone. Shorter ones say little. */
const MAX_SINGLE_WORDS = 4;
const MIN_SINGLE_WORD_LENGTH = 4;

/** The records of one family that a search found, and true if there are more. */
export interface SearchHits {
  type: string;
  records: readonly Readonly<Record<string, unknown>>[];
  hasMore: boolean;
}

export interface SearchInput {
  organization_id: string;
  /** A number, or words that a record must all have. */
  query: string;
  as_of?: string | undefined;
}

/**
 * Searches the records of all families, archived ones too, as the filter `query` of lists does. Within a family a record
 * whose number is the whole query comes first.
 */
export async function searchRecords(
  reader: Reader,
  caller: Caller,
  input: SearchInput,
  signal?: AbortSignal,
): Promise<SearchHits[]> {
  requirePermission(caller, input.organization_id, 'readRecords');
  const hits: SearchHits[] = [];
  if (normalizedWords(input.query).length === 0) return hits;
  for (const family of Object.values(FAMILY_QUERIES)) {
    signal?.throwIfAborted();
    const { query } = input;
    // Only today's numbers have an index.
    const source = { models: reader.snapshot().models, organizationId: input.organization_id };
    const ids = (await findByNumber(source, family, query, []))
      .map(({ id }) => String(id))
      .slice(0, MAX_HITS_PER_FAMILY);
    const numbered = ids.length === 0 ? [] : (await readHits(reader, caller, family, input, { ids })).records;
    const found = await readHits(reader, caller, family, input, { query });
    const records = [...numbered, ...found.records.filter(({ id }) => !numbered.some((record) => record.id === id))];
    hits.push({
      type: family.type,
      records: records.slice(0, MAX_HITS_PER_FAMILY),
      hasMore: found.next !== null || records.length > MAX_HITS_PER_FAMILY,
    });
    // An embedded store answers synchronously, so other calls get a turn between two families.
    await nextTurn();
  }
  return hits.filter(({ records }) => records.length > 0);
}

/** Returns records of all families that a query without hits nearly finds. */
export async function searchNearRecords(
  reader: Reader,
  caller: Caller,
  input: SearchInput,
  signal?: AbortSignal,
): Promise<SearchHits[]> {
  const hits: SearchHits[] = [];
  for (const family of Object.values(FAMILY_QUERIES)) {
    // A family without near matches takes its time too, so the turn comes first.
    await nextTurn();
    signal?.throwIfAborted();
    const ids = await nearRecordIds(reader, family, caller, input);
    if (ids.length === 0) continue;
    const { records } = await readHits(reader, caller, family, input, { ids });
    hits.push({ type: family.type, records, hasMore: false });
  }
  return hits;
}

/** Returns the words of a query with several that find records alone. */
export async function searchSingleWords(
  reader: Reader,
  caller: Caller,
  input: SearchInput,
  signal?: AbortSignal,
): Promise<string[]> {
  const words = normalizedWords(input.query).slice(0, MAX_SINGLE_WORDS);
  const found: string[] = [];
  if (words.length < 2) return found;
  for (const query of words.filter(({ length }) => length >= MIN_SINGLE_WORD_LENGTH)) {
    if ((await searchRecords(reader, caller, { ...input, query }, signal)).length > 0) found.push(query);
  }
  return found;
}

function readHits(
  reader: Reader,
  caller: Caller,
  family: FamilyQuery,
  { organization_id, as_of }: SearchInput,
  filter: Readonly<Record<string, unknown>>,
) {
  // Pages say in which field a query was found.
  const searched = Object.keys(family.fields).filter((name) => family.fields[name]!.search !== undefined);
  const query = { ...family, summary: [...new Set([...family.summary, ...searched])] };
  return readRecordPage(reader, query, 'search', caller, {
    organization_id,
    filter: { ...filter, include_archived: true },
    size: MAX_HITS_PER_FAMILY,
    as_of,
    view: 'SUMMARY',
  });
}
