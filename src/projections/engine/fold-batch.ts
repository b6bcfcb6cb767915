import { StoreUnavailable } from '../../stores/errors.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import type { Checkpoint, Commit, ReadModels } from '../../stores/read-store.ts';
import { modelOfStream, PARKED } from '../models.ts';
import { applyEvent, idsOfLink, isLink, parkEvent, recordIdOf } from './apply-event.ts';
import { Batch, type ProjectionCache } from './batch.ts';
import { EventTransaction } from './event-transaction.ts';

/** The writes for a batch's events, and the number of events that they cover. */
export interface FoldedBatch {
  commit: Commit;
  eventCount: number;
}

/**
 * Turns one organization's events, in log order, into the documents to write: records, their versions, changes, links,
 * and the checkpoint. Stops when the batch is full. Writes nothing itself.
 */
export async function foldBatch(
  models: Pick<ReadModels, 'get'>,
  cache: ProjectionCache,
  from: Checkpoint,
  events: readonly StoredEvent[],
): Promise<FoldedBatch> {
  const batch = new Batch(models, cache, from);
  await batch.readTree();
  await batch.preloadRecords(recordsOf(batch, events));
  let taken = 0;
  for (const event of events) {
    batch.next(event);
    await apply(batch, event);
    taken += 1;
    // One event may change thousands of records, so a batch of events could exceed the memory.
    if (batch.isFull) break;
  }
  return { commit: await batch.commit(), eventCount: taken };
}

/** Returns the ids of the existing records that the streams name. Those that begin here aren't looked up. */
function recordsOf(batch: Batch, events: readonly StoredEvent[]): string[] {
  const ids: string[] = [];
  for (const event of events) {
    if (isLink(event)) {
      ids.push(...idsOfLink(event));
      continue;
    }
    const model = modelOfStream(event.stream);
    if (model === null) continue;
    const id = recordIdOf(event);
    if (event.revision === 0 && model.family.origin === undefined) batch.expectNew(id);
    else ids.push(id);
  }
  return ids;
}

/** Applies an event. Parks it if it can't be applied, and so all later events of that record. */
async function apply(batch: Batch, event: StoredEvent): Promise<void> {
  try {
    const transaction = new EventTransaction(batch, event);
    await applyEvent(transaction, batch.logTime);
    await transaction.commit();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const transaction = new EventTransaction(batch, event);
    await parkEvent(transaction, batch.logTime);
    const { organization_id } = event.metadata;
    const doc = {
      position: batch.position,
      event_id: event.id,
      event_type: event.type,
      stream: event.stream,
      error: error instanceof Error ? error.message : String(error),
    };
    const document = { id: event.id, organization_id, keys: { position: batch.position }, doc };
    transaction.put({ collection: PARKED.name, document });
    await transaction.commit();
    batch.countParked();
  }
}
