import { StoreUnavailable } from '../stores/errors.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { Checkpoint, Commit, ReadModels } from '../stores/read-store.ts';
import { applyEvent, idsOfLink, isLink, parkEvent, recordIdOf } from './apply-event.ts';
import { Batch, type ProjectionCache } from './batch.ts';
import { EventTransaction } from './event-transaction.ts';
import { modelOfStream, PARKED } from './models.ts';

/** What is to be written of a batch's events, and how many of them it is about. */
export interface FoldedBatch {
  commit: Commit;
  eventCount: number;
}

/**
 * Folds one organization's events, in log order, as many of them as make a full batch, into the documents they lead to: of each record its newest
 * state and every version, of each event its line of change, of each pair its link, and the checkpoint after them.
 * Writes nothing.
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
    // One event may change thousands of records, so that some hundreds could be more than memory holds.
    if (batch.isFull) break;
  }
  return { commit: batch.commit(), eventCount: taken };
}

/** The records that a batch is about, as far as its streams tell; one that it begins is not looked for. */
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

/** An event that cannot be digested is parked, and with it all later ones of the same record. */
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
