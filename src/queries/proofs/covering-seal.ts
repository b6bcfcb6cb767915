import { firstSealOf, type LogSealedDocument, newestSeal } from '../../projections/transparency/seal-documents.ts';
import type { Snapshot } from '../moments/snapshot.ts';

/** Returns the newest seal, or the first one that covers a position. Returns null without one. */
export async function coveringSeal(
  { models }: Snapshot,
  organizationId: string,
  position: number | null,
): Promise<LogSealedDocument['data'] | null> {
  const seal =
    position === null ? await newestSeal(models, organizationId) : await firstSealOf(models, organizationId, position);
  return seal?.data ?? null;
}
