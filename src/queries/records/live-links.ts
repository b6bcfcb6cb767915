import { OPEN_END } from '../../projections/relations/related-counts.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readLinkPages } from './link-pages.ts';
import { documentsAt } from './record-links.ts';

/** Returns the ids of the records that a record is linked with now, without archived ones. */
export async function liveLinksOf(snapshot: Snapshot, organizationId: string, id: string): Promise<string[]> {
  const where: Condition[] = [
    { key: 'record_id', op: 'eq', value: id },
    { key: 'until_position', op: 'eq', value: OPEN_END },
  ];
  const context = { snapshot, organizationId, moment: { today: snapshot.today(), position: null } };
  const ids: string[] = [];
  for await (const rows of readLinkPages(snapshot.models, { organizationId, where })) {
    const documents = await documentsAt(context, [...new Set(rows.map(({ doc }) => String(doc.other_id)))]);
    ids.push(...documents.filter(({ archived_at }) => archived_at === null).map((document) => String(document.id)));
  }
  return ids;
}
