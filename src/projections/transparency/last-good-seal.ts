import type { DocumentReads } from '../../stores/read-store.ts';
import { readRoot } from './organization-tree.ts';
import { sealsBelow } from './seal-documents.ts';

/** Seals before a wrong one among which the last good one is looked for. */
const MAX_OLDER_SEALS = 50;

/** Returns the number of events that the newest good seal below a size covers, by the read models; 0 if none is found. */
export async function lastGoodSize(models: DocumentReads, organizationId: string, size: number): Promise<number> {
  for (const { data } of await sealsBelow(models, organizationId, size, MAX_OLDER_SEALS))
    if ((await readRoot(models, organizationId, data.size)) === data.root) return data.size;
  return 0;
}
