import type { Caller } from '../../commands/organization/caller.ts';
import type { RecordDocument } from '../../projections/read-models/read-model.ts';
import type { FamilyQuery } from '../family-query.ts';
import type { QueryContext } from '../moments/moment.ts';
import { listSource } from './list-source.ts';

/** A record as a filter matched it. */
export interface MatchingRecord {
  id: string;
  name: string;
  /** Null for a record without a number, or of a family without numbers. */
  reference_id: string | null;
  revision: number;
}

/** Returns the number of records that a family's filter matches at a moment. */
export async function countMatches(
  context: QueryContext,
  family: FamilyQuery,
  caller: Caller,
  filter: Record<string, unknown>,
): Promise<number> {
  const [count] = await context.snapshot.models.count(await listSource(context, family, caller, filter));
  return count?.total ?? 0;
}

/** Returns up to `limit` records that a family's filter matches at a moment, in no particular order. */
export async function matchRecords(
  context: QueryContext,
  family: FamilyQuery,
  caller: Caller,
  filter: Record<string, unknown>,
  limit: number,
): Promise<MatchingRecord[]> {
  const source = await listSource(context, family, caller, filter);
  const rows = await context.snapshot.models.find({ ...source, order: { key: null, direction: 'ASC' }, limit });
  return rows.map(({ doc }) => {
    const { id, reference_id, revision } = doc as unknown as RecordDocument & { reference_id?: string | null };
    return { id, name: family.model.nameOf(doc), reference_id: reference_id ?? null, revision };
  });
}
