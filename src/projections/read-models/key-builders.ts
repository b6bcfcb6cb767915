import { instantOf } from '../../commands/engine/dates.ts';
import type { Scalar } from '../../stores/read-store.ts';
import { textKey } from './search-text.ts';
import { similarText } from './similar-text.ts';

/** A stored key of a read model, by which lists are filtered and sorted. */
// biome-ignore lint/suspicious/noExplicitAny: keys of every family are in one list; each definition names its own types
export interface Key<Document = any> {
  type: 'text' | 'number';
  of(document: Document): Scalar | null;
  /**
   * True: all indexes of the family contain the key, so that filters on it don't read documents. False: the key is for
   * sorting only.
   *
   * `PRIMARY_INDEX_ONLY`: only the indexes of the first sort key contain it, because each wider index slows down every
   * write.
   */
  filterable: boolean | 'PRIMARY_INDEX_ONLY';
}

type KeyDocument = Record<string, unknown>;

/** A key for sorting only. */
export function sortKey(field: string): Key {
  return { type: 'text', of: (document: KeyDocument) => (document[field] ?? null) as string | null, filterable: false };
}

/** A key for sorting only, of a time or date. A date sorts as the end of its day. */
export function timeSortKey(field: string): Key {
  return {
    type: 'text',
    of: (document: KeyDocument) => (typeof document[field] === 'string' ? instantOf(document[field]) : null),
    filterable: false,
  };
}

/** A text key for sorting only, without case and accents. */
export function textSortKey(field: string): Key {
  return {
    type: 'text',
    of: (document: KeyDocument) => textKey((document[field] ?? null) as string | null),
    filterable: false,
  };
}

/** A text key by which similar texts are found. */
export function similarTextKey(field: string, isCompany: boolean): Key {
  return {
    type: 'text',
    of: (document: KeyDocument) => similarText((document[field] ?? null) as string | null, isCompany),
    filterable: false,
  };
}

/** A text key for sorting only, with numbers in order of value: A.5.2 before A.5.10. */
export function naturalSortKey(field: string): Key {
  const textOf = textSortKey(field).of;
  return {
    type: 'text',
    of: (document: KeyDocument) => naturalKey(textOf(document) as string | null),
    filterable: false,
  };
}

/** Replaces each number by its length and its digits without leading zeros. Such texts sort by value. */
function naturalKey(text: string | null): string | null {
  if (text === null) return null;
  return text.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, '');
    return String(value.length).padStart(3, '0') + value;
  });
}

/** A key for filters and sorting: an enum, id, date or timestamp. */
export function filterKey(field: string): Key {
  return { ...sortKey(field), filterable: true };
}

/** A text key for filters, without case and accents. */
export function textFilterKey(field: string): Key {
  return { ...textSortKey(field), filterable: true };
}

/** A key for filters: a whole number, or 0 and 1 for false and true. */
export function numberFilterKey(field: string): Key {
  return {
    type: 'number',
    of: (document: KeyDocument) =>
      document[field] === null || document[field] === undefined ? null : Number(document[field]),
    filterable: true,
  };
}

/** A key for filters that is computed from the document. */
export function computed<Document>(type: 'text' | 'number', of: (document: Document) => Scalar | null): Key<Document> {
  return { type, of, filterable: true };
}

/** Puts the key into the indexes of the family's first sort key only. */
export function coveredByPrimaryIndexOnly<Document>(key: Key<Document>): Key<Document> {
  return { ...key, filterable: 'PRIMARY_INDEX_ONLY' };
}

/** A key for states: sorts in the order of the workflow, not of the alphabet. */
export function stateKey(field: string, states: readonly string[]): Key {
  const rank = (document: KeyDocument) => states.indexOf(String(document[field]));
  return computed('number', rank);
}
