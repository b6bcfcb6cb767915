import type { Scalar } from '../stores/read-store.ts';
import { foldText } from './search-text.ts';

/** A stored key of a read model: what filters and orders read. */
// biome-ignore lint/suspicious/noExplicitAny: keys of every family are in one list; each definition names its own types
export interface Key<Document = any> {
  type: 'text' | 'number';
  of(document: Document): Scalar | null;
  /**
   * Whether it stands in the indexes, so that a filter on it need not read the document: in every one of its family, or
   * (`SELDOM`) in those of the first order alone, for each index that it widens is paid for by every write.
   */
  filtered: boolean | 'SELDOM';
}

/** The stored form of a text that is ordered or filtered by: as `foldText`, null and empty alike. */
export function textKey(text: string | null): string | null {
  return text === null || text === '' ? null : foldText(text);
}

type Fields = Record<string, unknown>;

/** A key that lists are ordered by only. */
export function ordered(field: string): Key {
  return { type: 'text', of: (document: Fields) => (document[field] ?? null) as string | null, filtered: false };
}

/** A text that lists are ordered by only, ignoring case and accents. */
export function orderedText(field: string): Key {
  return {
    type: 'text',
    of: (document: Fields) => textKey((document[field] ?? null) as string | null),
    filtered: false,
  };
}

/** A text that lists are ordered by only, its numbers by their value: A.5.2 before A.5.10. */
export function orderedNaturally(field: string): Key {
  const folded = orderedText(field).of;
  return { type: 'text', of: (document: Fields) => naturalKey(folded(document) as string | null), filtered: false };
}

/** Each run of digits without leading zeros, after its length: as code units they then sort by value, however long. */
function naturalKey(text: string | null): string | null {
  if (text === null) return null;
  return text.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, '');
    return String(value.length).padStart(3, '0') + value;
  });
}

/** An enum, id, date or timestamp that lists are filtered by. */
export function filtered(field: string): Key {
  return { ...ordered(field), filtered: true };
}

/** A text that lists are filtered by, ignoring case and accents. */
export function filteredText(field: string): Key {
  return { ...orderedText(field), filtered: true };
}

/** A whole number or truth value (0, 1) that lists are filtered by. */
export function filteredNumber(field: string): Key {
  return {
    type: 'number',
    of: (document: Fields) =>
      document[field] === null || document[field] === undefined ? null : Number(document[field]),
    filtered: true,
  };
}

/** A key that is worked out of the document, filtered by. */
export function computed<Document>(type: 'text' | 'number', of: (document: Document) => Scalar | null): Key<Document> {
  return { type, of, filtered: true };
}

/** The same in the indexes of the family's first order alone. */
export function coveredByPrimaryIndexOnly<Document>(key: Key<Document>): Key<Document> {
  return { ...key, filtered: 'SELDOM' };
}

/** A state, ordered as its workflow goes rather than by its letters. */
export function ranked(field: string, states: readonly string[]): Key {
  return computed<Fields>('number', (document) => states.indexOf(String(document[field])));
}
