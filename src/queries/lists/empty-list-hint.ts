import { normalizedWords } from '../../projections/read-models/search-words.ts';
import type { FamilyQuery } from '../family-query.ts';
import type { ReadableSource } from './list-source.ts';
import { firstMatches, MAX_COMPARED_WORDS, MAX_NEAR_MATCHES, namesOf, nearMatches } from './near-matches.ts';
import { type ValuesInUse, valuesHint, valuesInUse } from './values-in-use.ts';

const MAX_ARCHIVED_COUNT = 1_000;

/** Records that have only numbers or shorter words of a query, such as the M of M-999, are no hint. */
const MIN_HINTED_LENGTH = 3;

type Filter = Readonly<Record<string, unknown>>;
type SourceOf = (filter: Filter) => Promise<ReadableSource>;

/**
 * Returns what an empty list's filter nearly found: archived records, else the values in use of a text that it filters by,
 * else records with similar words. Null for none of these.
 */
export async function emptyListHint(family: FamilyQuery, filter: Filter, sourceOf: SourceOf): Promise<string | null> {
  if (!filter.include_archived && Object.keys(filter).length > 0) {
    const hint = await archivedHint(family, await sourceOf({ ...filter, include_archived: true }));
    if (hint !== null) return hint;
  }
  const inUse = await valuesForUnknownText(family, filter, sourceOf);
  if (inUse !== null) return valuesHint(family, inUse);
  const { query, ...others } = filter;
  if (query === undefined || query === '') return null;
  const words = normalizedWords(String(query));
  if (words.length === 0) return `query has no letter or digit, so it finds no ${family.singular}.`;
  return (await nearHint(family, String(query), await sourceOf(others))) ?? wordsHint(family, words, others, sourceOf);
}

/** Returns the values in use of the first text filter whose value no record has. Null if each value is in use. */
export async function valuesForUnknownText(
  family: FamilyQuery,
  filter: Filter,
  sourceOf: SourceOf,
): Promise<ValuesInUse | null> {
  for (const name of Object.keys(family.textFilterKeys)) {
    const inUse = filter[name] === undefined ? null : await valuesInsteadOf(family, name, filter, sourceOf);
    if (inUse !== null) return inUse;
  }
  return null;
}

/** Returns the values in use if no record has the requested one. Null if one has it: only the filters together find nothing. */
async function valuesInsteadOf(
  family: FamilyQuery,
  name: string,
  filter: Filter,
  sourceOf: SourceOf,
): Promise<ValuesInUse | null> {
  const { [name]: requested, ...others } = filter;
  const source = await sourceOf({ [name]: requested, include_archived: filter.include_archived });
  const [count] = await source.models.count({ ...source, limit: 1 });
  if (count !== undefined && count.total > 0) return null;
  return valuesInUse(family, name, requested as string[], await sourceOf(others));
}

async function archivedHint({ singular, plural }: FamilyQuery, source: ReadableSource): Promise<string | null> {
  const [count] = await source.models.count({ ...source, limit: MAX_ARCHIVED_COUNT });
  const total = count?.total ?? 0;
  if (total === 0) return null;
  const found = total === 1 ? `1 archived ${singular} matches` : `${total} archived ${plural} match`;
  return `${found}. To list archived records too, set filter.include_archived.`;
}

async function nearHint(family: FamilyQuery, query: string, source: ReadableSource): Promise<string | null> {
  const near = await nearMatches(family, query, source);
  if (near.length === 0) return null;
  return `No ${family.singular} has words that begin like these. Near matches: ${namesOf(family, near)}.`;
}

/** Returns the words of a query that no record has, and the records with the others. Null if that says nothing new. */
async function wordsHint(
  family: FamilyQuery,
  words: readonly string[],
  filter: Filter,
  sourceOf: SourceOf,
): Promise<string | null> {
  if (words.length === 1 || words.length > MAX_COMPARED_WORDS) return null;
  const matchesOf = async (query: string) => firstMatches(await sourceOf({ ...filter, query }));
  const counted = await Promise.all(words.map(async (word) => ({ word, isUsed: (await matchesOf(word)).length > 0 })));
  const [used, unused] = [counted.filter(({ isUsed }) => isUsed), counted.filter(({ isUsed }) => !isUsed)];
  if (used.every(({ word }) => word.length < MIN_HINTED_LENGTH || /\d/.test(word))) return null;
  if (unused.length === 0) return `Some ${family.plural} have one of these words, but none has all of them.`;
  const without = await matchesOf(used.map(({ word }) => word).join(' '));
  // Many matches are of a word that says little.
  const isNamed = without.length > 0 && without.length <= MAX_NEAR_MATCHES;
  const others = isNamed ? ` Matches of the other words: ${namesOf(family, without)}.` : '';
  return `No ${family.singular} has a word that begins with ${unused.map(({ word }) => `"${word}"`).join(' or ')}.${others}`;
}
