import { textKey } from '../../projections/read-models/search-text.ts';
import type { RelatedCounts } from '../../projections/relations/related-counts.ts';
import { familyQueryFor } from '../family-query.ts';
import { currentMoment, type QueryContext } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { cutToFit, presentRecords } from './present-records.ts';
import { idsOfLinkedRecords } from './record-links.ts';

type Document = Record<string, unknown>;

/** A write whose record is read for the answer. */
export interface RecordWritten {
  id: string;
  /** The record's revision after the write. */
  revision: number;
  /** The record's state after the write. */
  state: object;
  /** True if the projections are behind the write. */
  pending: boolean;
}

export interface WrittenRecord {
  record: Document;
  /** Position of the write's last event; absent while pending. */
  position?: string;
}

/**
 * Returns the record for a write's answer: as it is now, with the position of the write's own last event (record revision
 * `revision`). If projections are behind (`pending`) or could not apply the event, the record comes from the write's own state.
 */
export async function writtenRecord(
  snapshot: Snapshot,
  organizationId: string,
  { id, revision, state, pending }: RecordWritten,
): Promise<WrittenRecord> {
  const family = familyQueryFor(id);
  const context = { snapshot, organizationId, moment: currentMoment(snapshot) };
  const [row] = pending ? [] : await snapshot.models.get(family.plural, [id]);
  if (row === undefined) {
    const derivedFields = family.model.derive?.(state, {});
    // The projections are up to date, so a missing record means that its event could not be applied.
    const stale = pending ? {} : { stale: true };
    const document = { id, organization_id: organizationId, ...state, ...derivedFields, revision, ...stale };
    const [record] = await presentRecords(context, family, [document], 'FULL');
    const position = pending ? null : await positionOf(context, id, revision);
    return { record: cutToFit(record!), ...(position === null ? {} : { position: String(position) }) };
  }
  const document = row.doc;
  const [record] = await presentRecords(context, family, [document], 'FULL');
  const position = document.revision === revision ? document.position : await positionOf(context, id, revision);
  const linkedIds = 'record_ids' in family.fields ? await idsOfLinkedRecords(context, id) : {};
  return { record: cutToFit({ ...record, ...linkedIds }), position: String(position) };
}

/** Returns the position of the event that led to a record revision. */
async function positionOf({ snapshot, organizationId }: QueryContext, id: string, revision: number): Promise<unknown> {
  const [change] = await snapshot.models.find({
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

/** Similar records that an answer names. */
const MAX_SIMILAR = 5;

/** Returns records with the same name or reference as a new one, as a hint for the caller. */
export async function findSimilar(
  snapshot: Snapshot,
  organizationId: string,
  record: Document,
): Promise<{ id: string; name: string | null }[]> {
  const id = String(record.id);
  const family = familyQueryFor(id);
  const similar = new Map<string, { id: string; name: string | null }>();
  for (const [key, value] of lookalikeKeys(id, record)) {
    const rows = await snapshot.models.find({
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
      const name = family.model.nameOf?.(doc) ?? (doc.name as string | null);
      if (doc.id !== id) similar.set(String(doc.id), { id: String(doc.id), name });
    }
  }
  return [...similar.values()].slice(0, MAX_SIMILAR);
}

/** Returns the stored key of each field by which a record looks like others. Equal keys mean similar records. */
export function lookalikeKeys(id: string, record: Readonly<Document>): (readonly [field: string, key: string])[] {
  return familyQueryFor(id).lookalikeFields.flatMap((field) => {
    const key = textKey((record[field] as string | null | undefined) ?? null);
    return key === null ? [] : [[field, key] as const];
  });
}

/** Counts the live records that point at each record. In the counts, a label without a colon is a record type. */
export async function countReferences(snapshot: Snapshot, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const [row] = await snapshot.models.get(familyQueryFor(id).plural, [id]);
    const relatedCounts = (row?.doc.related_counts ?? {}) as RelatedCounts;
    const types = Object.entries(relatedCounts).filter(([label]) => !label.includes(':'));
    counts.set(
      id,
      types.reduce((sum, [, count]) => sum + count, 0),
    );
  }
  return counts;
}
