import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { newestSeal } from '../../projections/transparency/seal-documents.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readSealKeys } from './check-newest-seal.ts';

/** The public keys of an organization's seals, in base64. */
export interface OrganizationSealKeys {
  /** The key of the newest seal; an empty text if nothing is sealed yet. */
  current: string;
  /** The others, the newest first. */
  others: readonly string[];
}

/** Returns the public keys of an organization's seals. @throws Refusal forbidden */
export async function readOrganizationSealKeys(
  { models }: Snapshot,
  caller: Caller,
  organizationId: string,
): Promise<OrganizationSealKeys> {
  requirePermission(caller, organizationId, 'readRecords');
  const seal = await newestSeal(models, organizationId);
  const keys = await readSealKeys(models, organizationId);
  const current = keys.find(({ key_id }) => key_id === seal?.data.key_id)?.text ?? '';
  return { current, others: [...new Set(keys.map(({ text }) => text))].filter((text) => text !== current) };
}
