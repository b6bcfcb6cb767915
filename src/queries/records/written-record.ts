import { familyQueryFor } from '../family-query.ts';
import { currentMoment, type QueryContext } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { cutToFit, presentRecords } from './present-records.ts';
import { idsOfLinkedRecords } from './record-links.ts';

type Document = Record<string, unknown>;

/** A write whose record is read for the answer. */
export interface WriteOutcome {
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
 * @param otherCharacters of the answer's other members
 */
export async function readWrittenRecord(
  snapshot: Snapshot,
  organizationId: string,
  { id, revision, state, pending }: WriteOutcome,
  otherCharacters = 0,
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
    return { record: cutToFit(record!, otherCharacters), ...(position === null ? {} : { position: String(position) }) };
  }
  const document = row.doc;
  const [record] = await presentRecords(context, family, [document], 'FULL');
  const position = document.revision === revision ? document.position : await positionOf(context, id, revision);
  const [linkedIds] = 'record_ids' in family.fields ? await idsOfLinkedRecords(context, [id]) : [];
  return { record: cutToFit({ ...record, ...linkedIds }, otherCharacters), position: String(position) };
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
