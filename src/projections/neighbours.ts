import type { CollectionSpec, Commit, StoredDocument } from '../stores/read-store.ts';
import { OPEN_END, type RecordDocument } from './read-model.ts';

type Put = Commit['puts'][number];

/**
 * Which records are joined, by a link, an id that one holds of the other, or evidence. Two rows a pair, one for each
 * side, with the ordinals between which they were joined: what readers ask by.
 */
export const LINKS: CollectionSpec = {
  name: 'links',
  keys: {
    record_id: 'text',
    other_id: 'text',
    other_type: 'text',
    from_position: 'number',
    until_position: 'number',
  },
  indexes: [{ keys: ['record_id', 'from_position'], covers: ['until_position', 'other_type', 'other_id'] }],
  searchable: false,
};

/** The same for the fold alone, which looks them up by id also while a generation has no index yet. */
export const NEIGHBOURS: CollectionSpec = { name: 'neighbours', keys: {}, indexes: [], searchable: false };

/** The live neighbours of a record, each with the ordinal since when. Replaced, never changed. */
export type Neighbours = ReadonlyMap<string, number>;

export interface NeighboursDocument {
  id: string;
  since: Record<string, number>;
}

export function neighboursPut(record: RecordDocument, neighbours: Neighbours): Put {
  const { id, organization_id } = record;
  const doc: NeighboursDocument = { id, since: Object.fromEntries(neighbours) };
  return { collection: NEIGHBOURS.name, document: { id, organization_id, keys: {}, doc } };
}

/** One side of a pair that is joined from an ordinal on, and until another where it has ended. */
export function linkPut(
  record: RecordDocument,
  other: { id: string; type: string },
  from_position: number,
  until_position = OPEN_END,
): Put {
  const { id: record_id, organization_id } = record;
  const keys = { record_id, other_id: other.id, other_type: other.type, from_position, until_position };
  const document: StoredDocument = {
    id: `${record_id}~${other.id}@${from_position}`,
    organization_id,
    keys,
    doc: { record_id, other_id: other.id, other_type: other.type, from_position },
  };
  return { collection: LINKS.name, document };
}
