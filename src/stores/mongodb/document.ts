import type { CollectionSpec, MatchingDocument, Scalar, StoredDocument } from '../read-store.ts';
import type { MongoRow } from './client.ts';

/**
 * How a document is kept: its own fields as they are, so that report generators find them by their names, and what is
 * stored beside it in fields whose names begin with `_`, which no document's own do.
 */
export interface DocumentRow extends MongoRow {
  _organization: string;
  /** Every key of the collection; an empty one is null, so that order and filters treat all alike. */
  _keys: Record<string, Scalar | null>;
  _words?: readonly string[];
  /** Number of the batch that wrote it. */
  _n: number;
}

/** What readers do not need. */
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

/** What a reader gets of a row read without UNREAD; `orderKey` is the key it was ordered by. */
export function toMatchingDocument(row: MongoRow, orderKey: string | null = null): MatchingDocument {
  const { _id, _keys, ...doc } = row as Pick<DocumentRow, '_id' | '_keys'>;
  return { id: _id, key: orderKey === null ? null : (_keys[orderKey] ?? null), doc };
}
