import { isSealEventType, readSealEvent } from '../../trail/seals/seal-events.ts';
import type { EventTransaction } from '../engine/event-transaction.ts';
import { sealChangeRow } from '../history/change-rows.ts';
import { SEALS, type SealDocument } from './seal-documents.ts';

/** Applies an event of the seal stream. @throws Error if this version can't read it */
export function applySealEvent(transaction: EventTransaction, logTime: string): void {
  const { event, position } = transaction;
  const fact = isSealEventType(event.type) ? readSealEvent(event.type, event.data) : null;
  if (fact === null) throw new Error(`${event.type} is a seal event that this version can't read`);
  const { organization_id, hash } = event.metadata;
  const doc: SealDocument = { ...fact, position, revision: event.revision, event_id: event.id, hash };
  const size = fact.type === 'LogSealed' ? fact.data.size : null;
  transaction.put({
    collection: SEALS.name,
    document: { id: event.id, organization_id, keys: { position, size }, doc },
  });
  transaction.put(sealChangeRow({ event, position, logTime }));
}
