import type { CollectionSpec, DocumentReads } from '../../stores/read-store.ts';
import { IN_ORDER, type OutOfOrder } from '../../trail/recorded-order.ts';

/** The events of each organization that were recorded out of order: one document, with the organization's id. */
export const OUT_OF_ORDER: CollectionSpec = { name: 'out_of_order', keys: {}, indexes: [], searchable: false };

/** Reads the events that were recorded before the log time. */
export async function readOutOfOrder(models: Pick<DocumentReads, 'get'>, organizationId: string): Promise<OutOfOrder> {
  const [document] = await models.get(OUT_OF_ORDER.name, [organizationId]);
  return document === undefined ? IN_ORDER : (document.doc as unknown as OutOfOrder);
}
