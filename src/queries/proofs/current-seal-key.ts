import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { newestSeal } from '../../projections/transparency/seal-documents.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readSealKey } from './check-newest-seal.ts';

/** Returns the public key of the newest seal in base64; an empty text if nothing is sealed yet. @throws Refusal forbidden */
export async function currentSealKey({ models }: Snapshot, caller: Caller, organizationId: string): Promise<string> {
  requirePermission(caller, organizationId, 'readRecords');
  const seal = await newestSeal(models, organizationId);
  const key = seal === null ? null : await readSealKey(models, organizationId, seal.data.key_id);
  return key?.text ?? '';
}
