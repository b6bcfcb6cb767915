import { parkedLinkChangeRows, recordChangeRows } from '../history/change-rows.ts';
import { idsOfPairStream, isPairStream, modelOfStream, recordIdOf } from '../models.ts';
import { STALE } from '../relations/related-counts.ts';
import type { EventTransaction } from './event-transaction.ts';

/**
 * Parks an event. Its record is marked stale, or both records of a link and both frameworks of a crosswalk, and so are
 * records that depend on them.
 */
export async function parkEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event } = transaction;
  const positioned = { event, position: transaction.position, logTime };
  if (isPairStream(event.stream)) {
    const ids = idsOfPairStream(event.stream);
    const records = await Promise.all(ids.map((id) => transaction.record(id)));
    for (const put of parkedLinkChangeRows(positioned, ids, records)) transaction.put(put);
    for (const id of ids) await transaction.addLabel(id, `${STALE}LINK`);
    return;
  }
  const model = modelOfStream(event.stream);
  const before = model && (await transaction.record(recordIdOf(event.stream)));
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
