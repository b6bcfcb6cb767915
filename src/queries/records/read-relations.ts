import { pairKey } from '../../commands/crosswalk.ts';
import { OPEN_END } from '../../projections/relations/related-counts.ts';
import type { CrosswalkPair } from '../../register/crosswalk.ts';
import { type DirectedRelation, type RelationOfRecord, relationBetween } from '../../register/link.ts';
import type { DocumentReads } from '../../stores/read-store.ts';
import { readLinkPages } from './link-pages.ts';

interface LinkDocument {
  record_id: string;
  other_id: string;
  relation?: RelationOfRecord;
}

const CONTROLS_PER_READ = 500;

/** Returns the relations of the pairs of controls that are linked now, by `pairKey`. */
export async function readRelations(
  models: DocumentReads,
  organizationId: string,
  pairs: readonly Pick<CrosswalkPair, 'from_id' | 'to_id'>[],
): Promise<ReadonlyMap<string, DirectedRelation>> {
  const keys = new Set(pairs.map(pairKey));
  const links = new Map<string, DirectedRelation>();
  const controls = [...new Set(pairs.map(({ from_id }) => from_id))];
  for (let first = 0; first < controls.length; first += CONTROLS_PER_READ) {
    const where = [
      { key: 'record_id', op: 'in', values: controls.slice(first, first + CONTROLS_PER_READ) },
      { key: 'until_position', op: 'eq', value: OPEN_END },
    ] as const;
    for await (const rows of readLinkPages(models, { organizationId, where })) {
      for (const { record_id, other_id, relation } of rows.map(({ doc }) => doc as unknown as LinkDocument)) {
        const key = pairKey({ from_id: record_id, to_id: other_id });
        if (relation && keys.has(key)) links.set(key, relationBetween(record_id, other_id, relation));
      }
    }
  }
  return links;
}
