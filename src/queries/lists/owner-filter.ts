import type { Caller } from '../../commands/organization/caller.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { isMemberWord, readEverMemberWords } from '../records/member-words.ts';

type ListFilter = Readonly<Record<string, unknown>>;

/**
 * Returns a filter with accounts' ids in place of owners' names. A list at a past moment shows the names of that time, and
 * former members, so these names are found too.
 * @throws Refusal invalid_input for a name that isn't exactly one person's
 */
export async function resolveOwnerFilter(
  snapshot: Snapshot,
  caller: Caller,
  organizationId: string,
  filter: ListFilter,
): Promise<Record<string, unknown>> {
  const owners = (filter.owner_id ?? []) as readonly string[];
  if (!owners.some(isMemberWord)) return filter;
  const members = await readEverMemberWords(snapshot, caller, organizationId);
  const owner_id = owners.map((word, index) =>
    isMemberWord(word) ? members.require(word, `filter.owner_id.${index}`) : word,
  );
  return { ...filter, owner_id };
}
