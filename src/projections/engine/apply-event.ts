import { applyStoredEvent, upcast } from '../../commands/engine/stream-state.ts';
import { LINK_STREAM_PREFIX, link } from '../../commands/link.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { isSealStreamEvent } from '../../trail/seals/seal-events.ts';
import { linkChangeRows, parkedLinkChangeRows, recordChangeRows } from '../history/change-rows.ts';
import { modelOfId, modelOfStream } from '../models.ts';
import type { ReadModel, RecordDocument } from '../read-models/read-model.ts';
import { STALE } from '../relations/related-counts.ts';
import { applySealEvent } from '../transparency/apply-seal-event.ts';
import type { EventTransaction } from './event-transaction.ts';

/** Applies an event to all records that it concerns. @throws Error if this version can't apply it */
export async function applyEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event } = transaction;
  if (isLink(event)) return applyLinkEvent(transaction, logTime);
  if (isSealStreamEvent(event)) return applySealEvent(transaction, logTime);
  const model = modelOfStream(event.stream);
  if (model === null) throw new Error('no read model has events of this stream');
  await applyRecordEvent(transaction, model, logTime);
}

async function applyRecordEvent(transaction: EventTransaction, model: ReadModel, logTime: string): Promise<void> {
  const { event } = transaction;
  const id = recordIdOf(event);
  const before = await transaction.record(id);
  const after = await transaction.evolve(model, id, event);
  await transaction.replaceRecord(after);
  const data = upcast(event);
  for (const child of model.childRecords?.(event.type, data, id) ?? []) {
    transaction.expectNew(child.id);
    await transaction.replaceRecord(transaction.nextVersion(modelOfId(child.id)!, child.id, child.state, null, 1));
    await transaction.connect(id, child.id);
  }
  for (const field of model.family.references ?? []) await updateReference(transaction, id, field, before, after);
  const linked = model.linkedIds?.(event.type, data) ?? [];
  for (const other of linked) await transaction.connect(id, other);
  const positioned = { event, position: transaction.position, logTime };
  for (const put of recordChangeRows(positioned, model, before, after)) transaction.put(put);
  for (const other of linked) {
    const record = (await transaction.record(other))!;
    transaction.put(linkChangeRows(positioned, record, after, true).row);
  }
}

/** Connects the record with the one that a reference field names, and disconnects the one it named before. */
async function updateReference(
  transaction: EventTransaction,
  id: string,
  field: string,
  before: RecordDocument | null,
  after: RecordDocument,
) {
  const [from, to] = [idIn(before, field), idIn(after, field)];
  if (from === to) return;
  if (from !== null) await transaction.disconnect(id, from);
  if (to !== null) await transaction.connect(id, to);
}

function idIn(document: RecordDocument | null, field: string): string | null {
  const linkedId = (document as Record<string, unknown> | null)?.[field];
  return typeof linkedId === 'string' ? linkedId : null;
}

async function applyLinkEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event } = transaction;
  const { linked } = applyStoredEvent(link, null, event);
  const [a, b] = idsOfLink(event);
  if (linked) await transaction.connect(a, b);
  else await transaction.disconnect(a, b);
  const [from, to] = [(await transaction.record(a))!, (await transaction.record(b))!];
  const positioned = { event, position: transaction.position, logTime };
  const { row, reverseRow } = linkChangeRows(positioned, from, to, linked);
  transaction.put(row);
  transaction.put(reverseRow);
}

/** Parks an event. Its record is marked stale, or both records of a link, and so are records that depend on them. */
export async function parkEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event } = transaction;
  const positioned = { event, position: transaction.position, logTime };
  if (isLink(event)) {
    const ids = idsOfLink(event);
    const records = await Promise.all(ids.map((id) => transaction.record(id)));
    for (const put of parkedLinkChangeRows(positioned, ids, records)) transaction.put(put);
    for (const id of ids) await transaction.addLabel(id, `${STALE}LINK`);
    return;
  }
  const model = modelOfStream(event.stream);
  const before = model && (await transaction.record(recordIdOf(event)));
  for (const put of recordChangeRows(positioned, model, before, null)) transaction.put(put);
  if (!before || before.parked) return;
  await transaction.replaceRecord({
    ...before,
    parked: true,
    stale: true,
    position: transaction.position,
    from_position: transaction.position,
  });
}

export function isLink(event: StoredEvent): boolean {
  return event.stream.startsWith(LINK_STREAM_PREFIX);
}

/** Returns the two record ids in the name of a link's stream: `link-<id>-<id>`. */
export function idsOfLink({ stream }: StoredEvent): [string, string] {
  const [a = '', b = ''] = stream.slice(LINK_STREAM_PREFIX.length).split('-');
  return [a, b];
}

/** Returns the record id in the name of a record's stream: `<family>-<id>`. */
export function recordIdOf(event: StoredEvent): string {
  return event.stream.slice(event.stream.indexOf('-') + 1);
}
