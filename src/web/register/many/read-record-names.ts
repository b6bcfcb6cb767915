import type { FamilyQuery } from '../../../queries/family-query.ts';
import { matchRecords } from '../../../queries/lists/match-records.ts';
import { currentMoment } from '../../../queries/moments/moment.ts';
import type { FormCollaborators, FormView } from '../forms/open-form.ts';
import { numberedName } from '../record/numbered-name.ts';
import type { RecordName } from './many-form.tsx';

/** Reads the names of a family's records. Ids of others are left out. */
export async function readRecordNames(
  { reader }: Pick<FormCollaborators, 'reader'>,
  { organization, caller }: FormView,
  family: FamilyQuery,
  ids: readonly string[],
): Promise<RecordName[]> {
  if (ids.length === 0) return [];
  const snapshot = reader.snapshot();
  const context = { snapshot, organizationId: organization.id, moment: currentMoment(snapshot) };
  const filter = { ids, include_archived: true };
  const records = await matchRecords(context, family, caller, filter, ids.length);
  const names = new Map(records.map((record) => [record.id, numberedName(record)]));
  return ids.flatMap((id) => (names.has(id) ? [{ id, name: names.get(id)! }] : []));
}
