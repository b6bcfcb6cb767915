import { dateOf } from '../../commands/engine/dates.ts';
import { MAP_ENTRIES, type MapEntryRow } from '../../projections/read-models/map-entries.ts';
import { OPEN_END } from '../../projections/relations/related-counts.ts';
import { findAll } from '../lists/find-all.ts';
import type { QueryContext } from '../moments/moment.ts';

/**
 * Returns the accounts that had been members of the organization before a moment, and weren't at it. A membership with an
 * end counts to the end of that day, as rules on dates do.
 */
export async function readFormerMembers({ snapshot, organizationId, moment }: QueryContext): Promise<string[]> {
  const position = moment.position ?? OPEN_END - 1;
  const rows = (await findAll(snapshot.models, {
    collection: MAP_ENTRIES.name,
    organizationId,
    where: [
      { key: 'record_id', op: 'eq', value: organizationId },
      { key: 'field', op: 'in', values: ['members', 'membership_ends'] },
      { key: 'from_position', op: 'range', lte: position },
    ],
  })) as unknown as MapEntryRow[];
  const keysOf = (entries: readonly MapEntryRow[]) => new Set(entries.map(({ key }) => key));
  const memberships = rows.filter(({ field }) => field === 'members');
  const current = rows.filter(({ until_position }) => until_position > position);
  const members = keysOf(current.filter(({ field }) => field === 'members'));
  const ended = keysOf(
    current.filter(({ field, value }) => field === 'membership_ends' && dateOf(String(value)) < moment.today),
  );
  return [...keysOf(memberships)].filter((account) => !members.has(account) || ended.has(account));
}

/** Returns a former member's name as pages show it: `Oda Berg (left)`. */
export const formerMemberText = (name: string): string => `${name} (left)`;

/** Returns records of an answer for a page, which says of an owner who was no member at the moment that they left. */
export async function withFormerOwners<T extends Readonly<Record<string, unknown>>>(
  context: QueryContext,
  records: readonly T[],
): Promise<T[]> {
  if (!records.some(({ owner }) => typeof owner === 'string')) return [...records];
  const former = new Set<unknown>(await readFormerMembers(context));
  const isOfFormer = ({ owner_id, owner }: T) => typeof owner === 'string' && former.has(owner_id);
  return records.map((record) =>
    isOfFormer(record) ? { ...record, owner: formerMemberText(String(record.owner)) } : record,
  );
}
