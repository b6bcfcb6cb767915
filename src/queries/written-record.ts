import { dateOf } from '../commands/dates.ts';
import { textKey } from '../projections/keys.ts';
import type { RelatedCounts } from '../projections/related-counts.ts';
import { familyQueryFor } from './family-queries.ts';
import { cutToFit, presentRecords } from './present-records.ts';
import type { Reader } from './reader.ts';

type Document = Record<string, unknown>;

export interface WrittenRecord {
  record: Document;
  /** Position of the write's last event; absent while it cannot be read yet. */
  position?: string;
}

/**
 * The record as a write answers it: as it is now, with the position of the write's own last event (record revision
 * `revision`). Where projections are behind (`pending`), or could not digest it, what the write itself knows.
 */
export async function writtenRecord(
  reader: Reader,
  organizationId: string,
  id: string,
  revision: number,
  known: object,
  pending: boolean,
): Promise<WrittenRecord> {
  const family = familyQueryFor(id);
  const now = { today: dateOf(reader.now().toISOString()), position: null };
  const [found] = pending ? [] : await reader.models.get(family.plural, [id]);
  if (found === undefined) {
    const derived = family.model.derive?.(known, {});
    // What can be read by now, and is not there, could not be digested.
    const stale = pending ? {} : { stale: true };
    const document = { id, organization_id: organizationId, ...known, ...derived, revision, ...stale };
    const [record] = await presentRecords(reader, family, [document], now, 'FULL');
    const position = pending ? null : await positionOf(reader, organizationId, id, revision);
    return { record: cutToFit(record!), ...(position === null ? {} : { position: String(position) }) };
  }
  const document = found.doc;
  const [record] = await presentRecords(reader, family, [document], now, 'FULL');
  const position =
    document.revision === revision ? document.position : await positionOf(reader, organizationId, id, revision);
  const beside = await family.extraFields?.(reader, organizationId, id, now);
  return { record: cutToFit({ ...record, ...beside }), position: String(position) };
}

/** The position of a record's event, by the record revision that it made. */
async function positionOf(reader: Reader, organizationId: string, id: string, revision: number): Promise<unknown> {
  const [change] = await reader.models.find({
    collection: 'changes',
    organizationId,
    where: [
      { key: 'record_id', op: 'eq', value: id },
      { key: 'revision', op: 'eq', value: revision },
    ],
    order: { key: 'position', direction: 'DESC' },
    limit: 1,
  });
  return change?.doc.position ?? 0;
}

/** How many look-alikes are told at the most. */
const MAX_SIMILAR = 5;

/** Records of the same name or reference: advice for who has just added one. */
export async function findSimilar(
  reader: Reader,
  organizationId: string,
  record: Document,
): Promise<{ id: unknown; name: unknown }[]> {
  const id = String(record.id);
  const family = familyQueryFor(id);
  const found = new Map<string, { id: unknown; name: unknown }>();
  for (const key of family.similarityKeys) {
    const value = textKey((record[key] as string | null | undefined) ?? null);
    if (value === null) continue;
    const rows = await reader.models.find({
      collection: family.plural,
      organizationId,
      where: [
        { key: 'archived', op: 'eq', value: 0 },
        { key, op: 'eq', value },
      ],
      order: { key, direction: 'ASC' },
      limit: MAX_SIMILAR + 1,
    });
    for (const { doc } of rows) {
      if (doc.id !== id) found.set(String(doc.id), { id: doc.id, name: family.model.nameOf?.(doc) ?? doc.name });
    }
  }
  return [...found.values()].slice(0, MAX_SIMILAR);
}

/** How many live records point at each of these; a label without a colon is a type of neighbour. */
export async function countReferences(reader: Reader, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const [found] = await reader.models.get(familyQueryFor(id).plural, [id]);
    const relatedCounts = (found?.doc.related_counts ?? {}) as RelatedCounts;
    const types = Object.entries(relatedCounts).filter(([label]) => !label.includes(':'));
    counts.set(
      id,
      types.reduce((sum, [, count]) => sum + count, 0),
    );
  }
  return counts;
}
