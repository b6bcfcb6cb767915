import { queryWords, searchWords } from '../../projections/read-models/search-words.ts';
import type { FamilyDescription } from '../../register/family-description.ts';

/** The words before and from the one that was found, in an excerpt. */
const WORDS_BEFORE = 4;
const WORDS_FROM = 9;

/** The field that a search found, and the words around the match. */
export interface MatchedField {
  label: string;
  excerpt: string;
}

/**
 * Returns the field in which a search found a record. Null if its number and title show why it was found.
 * @param titleFields the fields of its number and title
 */
export function matchedField(
  family: FamilyDescription,
  record: Readonly<Record<string, unknown>>,
  query: string,
  titleFields: readonly string[],
): MatchedField | null {
  const title = titleFields.map((name) => record[name] ?? '').join(' ');
  const missing = queryWords(query).filter((prefixes) => !hasWord(title, prefixes));
  if (missing.length === 0) return null;
  const hasMissing = (text: string) => missing.some((prefixes) => hasWord(text, prefixes));
  for (const [name, { search, label }] of Object.entries(family.fields)) {
    const text = record[name];
    if (search === undefined || titleFields.includes(name) || typeof text !== 'string' || !hasMissing(text)) continue;
    const words = text.split(/\s+/);
    const first = words.findIndex(hasMissing);
    // NIS2 also finds the two words NIS 2.
    const pair = words.findIndex((word, index) => hasMissing(`${word} ${words[index + 1] ?? ''}`));
    const at = Math.max(0, first < 0 ? pair : first);
    const [start, end] = [Math.max(0, at - WORDS_BEFORE), at + WORDS_FROM];
    const excerpt = words.slice(start, end).join(' ');
    return { label, excerpt: `${start > 0 ? '… ' : ''}${excerpt}${end < words.length ? ' …' : ''}` };
  }
  return null;
}

/** Returns true if a text has a word of a query, as the search finds it. A prefix that ends in a space is a whole word. */
function hasWord(text: string, prefixes: readonly string[]): boolean {
  const words = searchWords([text], []);
  return prefixes.some((prefix) => words.some((word) => `${word} `.startsWith(prefix)));
}
