import type { Caller } from '../../commands/organization/caller.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { isMemberWord, type MemberWords, readCurrentMemberWords } from '../records/member-words.ts';

/** Reads the words for the members that a filter may name. */
type ReadMemberWords = (snapshot: Snapshot, caller: Caller, organizationId: string) => Promise<MemberWords>;

type ListFilter = Readonly<Record<string, unknown>>;

/**
 * Returns a filter with accounts' ids in place of owners' names. Names are those of today's members, also for the past.
 * @throws Refusal invalid_input for a name that isn't exactly one member's
 */
export async function resolveOwnerFilter(
  snapshot: Snapshot,
  caller: Caller,
  organizationId: string,
  filter: ListFilter,
  readWords: ReadMemberWords = readCurrentMemberWords,
): Promise<Record<string, unknown>> {
  const owners = (filter.owner_id ?? []) as readonly string[];
  if (!owners.some(isMemberWord)) return filter;
  const members = await readWords(snapshot, caller, organizationId);
  const owner_id = owners.map((word, index) =>
    isMemberWord(word) ? members.require(word, `filter.owner_id.${index}`) : word,
  );
  return { ...filter, owner_id };
}
