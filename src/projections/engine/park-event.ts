import { parkedRows } from '../history/event-rows.ts';
import { idsOfPairStream, isPairStream, modelOfStream, recordIdOf } from '../models.ts';
import { STALE } from '../relations/related-counts.ts';
import type { EventTransaction } from './event-transaction.ts';

/**
 * Parks an event. Its record is marked stale, or both records of a link and both frameworks of a crosswalk, and so are
 * records that depend on them.
 */
export async function parkEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event, position } = transaction;
  const isPair = isPairStream(event.stream);
  const model = isPair ? null : modelOfStream(event.stream);
  const before = model && (await transaction.record(recordIdOf(event.stream)));
  const own = { model, before };
  const rows = await parkedRows({ event, position, logTime }, (id) => transaction.record(id), own);
  for (const put of rows) transaction.put(put);
  if (isPair) for (const id of idsOfPairStream(event.stream)) await transaction.addLabel(id, `${STALE}LINK`);
  if (!before || before.parked) return;
  await transaction.replaceRecord({
    ...before,
    parked: true,
    stale: true,
    position: transaction.position,
    from_position: transaction.position,
  });
}
