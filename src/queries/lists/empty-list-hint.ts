import { nearest } from '../../commands/engine/nearest.ts';
import { normalizedWords, searchWords, withoutPadding } from '../../projections/read-models/search-text.ts';
import type { DocumentReads } from '../../stores/read-store.ts';
import type { FamilyQuery } from '../family-query.ts';
import type { KeysetQuery } from './keyset-page.ts';

/** Archived records are counted up to this number. */
const MAX_ARCHIVED_COUNT = 1_000;
/** Records whose words are compared with a query that found nothing. */
const MAX_COMPARED_RECORDS = 300;
/** Longer queries get no near matches, because comparing words takes time. */
const MAX_COMPARED_WORDS = 8;
/** Near matches that a hint names. */
const MAX_NEAR_MATCHES = 3;

/** The records that a list finds, and the read models that have them. */
type ListSource = Pick<KeysetQuery, 'collection' | 'organizationId' | 'where'> & { models: DocumentReads };

/**
 * Returns what an empty list's filter nearly found: archived records, else records with similar words. Null for neither.
 * @param sourceOf returns the list's source with a changed filter
 */
export async function emptyListHint(
  family: FamilyQuery,
  filter: Readonly<Record<string, unknown>>,
  sourceOf: (filter: Readonly<Record<string, unknown>>) => Promise<ListSource>,
): Promise<string | null> {
  const { query, ...others } = filter;
  if (!filter.include_archived && Object.keys(filter).length > 0) {
    const hint = await archivedHint(family, await sourceOf({ ...filter, include_archived: true }));
    if (hint !== null) return hint;
  }
  return query === undefined ? null : nearHint(family, String(query), await sourceOf(others));
}

async function archivedHint({ singular, plural }: FamilyQuery, source: ListSource): Promise<string | null> {
  const [count] = await source.models.count({ ...source, limit: MAX_ARCHIVED_COUNT });
  const total = count?.total ?? 0;
  if (total === 0) return null;
  const found = total === 1 ? `1 archived ${singular} matches` : `${total} archived ${plural} match`;
  return `${found}. To list archived records too, set filter.include_archived.`;
}

/** Names records whose names or references have a word like each word of the query. They begin with its first letter. */
async function nearHint(family: FamilyQuery, query: string, source: ListSource): Promise<string | null> {
  const words = normalizedWords(query).map(withoutPadding);
  if (words.length === 0 || words.length > MAX_COMPARED_WORDS) return null;
  const alternatives = words.map(([letter]) => [letter!]);
  const where = [...source.where, { op: 'anyWords', alternatives } as const];
  const order = { key: null, direction: 'ASC' } as const;
  const rows = await source.models.find({ ...source, where, order, limit: MAX_COMPARED_RECORDS });
  const near: string[] = [];
  for (const { doc } of rows) {
    const name = family.model.nameOf(doc);
    const nameWords = searchWords([name, (doc.reference_id ?? doc.section_title ?? null) as string | null], []);
    if (words.every((word) => nearest(word, nameWords) !== null)) near.push(`${name} (${doc.id})`);
    if (near.length === MAX_NEAR_MATCHES) break;
  }
  if (near.length === 0) return null;
  return `No ${family.singular} has words that begin like these. Near matches: ${near.join('; ')}.`;
}
