import { firstSealOf } from '../../projections/transparency/seal-documents.ts';
import type { Snapshot } from '../moments/snapshot.ts';

/** The time of the first seal that covers a change, by the change's position. Absent until a seal covers it. */
export type SealTimes = ReadonlyMap<string, string>;

/** Reads when changes were sealed. One seal covers many changes, so this reads each seal once. */
export async function readSealTimes(
  { models }: Snapshot,
  organizationId: string,
  changes: readonly { position: string }[],
): Promise<SealTimes> {
  const times = new Map<string, string>();
  let seal: Awaited<ReturnType<typeof firstSealOf>> = null;
  for (const position of changes.map((change) => Number(change.position)).sort((a, b) => a - b)) {
    if (seal === null || seal.data.size < position) seal = await firstSealOf(models, organizationId, position);
    if (seal === null) break;
    times.set(String(position), seal.data.sealed_at);
  }
  return times;
}
