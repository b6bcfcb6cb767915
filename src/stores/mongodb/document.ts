import type { CollectionSpec, MatchingDocument, Scalar, StoredDocument } from '../read-store.ts';
import type { MongoRow } from './client.ts';

/**
 * A stored document. It has the document's own fields unchanged, so that report generators find them by name. Names of
 * further fields begin with `_`; no field of a document does.
 */
export interface DocumentRow extends MongoRow {
  _organization: string;
  /** All keys of the collection. Empty ones are null, so that sorting and filters treat them alike. */
  _keys: Record<string, Scalar | null>;
  _words?: readonly string[];
  /** Number of the commit that wrote it. */
  _n: number;
}

/** Leaves out the fields that readers don't need. */
export const UNREAD = { _organization: 0, _words: 0, _n: 0 } as const;

export function toRow(spec: CollectionSpec, document: StoredDocument, n: number): DocumentRow {
  const keys = Object.keys(spec.keys).map((key) => [key, document.keys[key] ?? null] as const);
  return {
    _id: document.id,
    ...document.doc,
    _organization: document.organization_id,
    _keys: Object.fromEntries(keys),
    ...(spec.searchable && { _words: document.words ?? [] }),
    _n: n,
  };
}

/** Returns the document of a row that was read without UNREAD. `orderKey` is the query's sort key. */
export function toMatchingDocument(row: MongoRow, orderKey: string | null = null): MatchingDocument {
  const { _id, _keys, ...doc } = row as Pick<DocumentRow, '_id' | '_keys'>;
  return { id: _id, key: orderKey === null ? null : (_keys[orderKey] ?? null), doc };
}
