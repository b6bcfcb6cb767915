import { nearestNames } from '../../commands/engine/nearest.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { allMembersOf } from '../../commands/organization/organization-members.ts';
import { memberRole, type OrganizationState } from '../../commands/organization/organization-state.ts';
import { hasPermission } from '../../commands/organization/permissions.ts';
import {
  foldName,
  isForbiddenName,
  isReservedWord,
  lettersOf,
  skeletonOf,
} from '../../commands/organization/person-names.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { type MemberIdentity, type NameReader, readDistinctName } from './member-names.ts';

/** The account that a word means, or why it means none. */
export type WordMeaning =
  | { account_id: string }
  | { problem: 'UNKNOWN' }
  | { problem: 'CONFUSABLE'; candidates: string[] };

const MAX_WORD_CHARACTERS = 400;
/** An address behind a name, as in "Jane Doe <jane@example.org>". */
const ADDRESS = /<\s*([^<>\s]+@[^<>\s]+)\s*>$/;
const MAX_SUGGESTED_NAMES = 3;
/**
 * Names that are compared with an unknown word, those with a word in common, the characters of each, and the unknown words.
 * They bound the time: at most some 6 ms of CPU for an unknown word.
 */
const MAX_COMPARED_NAMES = 1_000;
const MAX_NAMES_SHARING_A_WORD = 100;
const MAX_COMPARED_CHARACTERS = 32;
const MAX_SUGGESTIONS = 20;

/** The members among whom a word is searched, and what a refusal says of it. */
const SCOPES = {
  PRESENT:
    'is not a member. Give ME, an id or the whole name of one: listOrganizations with include_members lists them.',
  EVER: 'is no name of a present or former member. Give ME, an id, or a whole name as lists show it.',
} as const;

/**
 * Finds members by their whole name, also as lists tell two of one name apart, or by their e-mail address. See `foldName`
 * for what doesn't matter. A name that nobody may choose finds nobody: earlier versions took it.
 */
export class MemberWords {
  private readonly accounts = new Map<string, Set<string>>();
  private readonly accountsByEarlierName = new Map<string, Set<string>>();
  private readonly accountsBySkeleton = new Map<string, Set<string>>();
  private readonly accountsByAddress = new Map<string, string>();
  /** The names that are compared with unknown words, by their folded form. */
  private readonly names = new Map<string, string>();
  private suggestionsLeft = MAX_SUGGESTIONS;

  /** @param scope `EVER`: the members are all that there ever were, and names that nobody has now find who had them */
  constructor(
    members: readonly MemberIdentity[],
    private readonly scope: keyof typeof SCOPES = 'PRESENT',
  ) {
    const namedMembers = members.filter(({ name }) => !isForbiddenName(name));
    for (const { account_id, name, earlierNames = [] } of namedMembers) {
      const folded = foldName(name);
      if (this.names.size < MAX_COMPARED_NAMES) this.names.set(folded, name);
      addTo(this.accounts, folded, account_id);
      addTo(this.accountsBySkeleton, skeletonOf(name), account_id);
      if (scope === 'EVER')
        for (const earlier of earlierNames) addTo(this.accountsByEarlierName, foldName(earlier), account_id);
    }
    for (const { account_id, email } of members) {
      if (email === null) continue;
      addTo(this.accounts, foldName(email), account_id);
      this.accountsByAddress.set(foldName(email), account_id);
    }
  }

  find(word: string): WordMeaning {
    if (word.length > MAX_WORD_CHARACTERS) return { problem: 'UNKNOWN' };
    const { name, idEnd } = readDistinctName(addressIn(word));
    const accounts = this.accounts.get(foldName(name)) ?? this.accountsByEarlierName.get(foldName(name)) ?? [];
    const lookalikes = this.accountsBySkeleton.get(skeletonOf(name)) ?? [];
    const named = [...accounts].some((id) => id.endsWith(idEnd)) ? [...accounts, ...lookalikes] : [];
    const candidates = [...new Set(named)].filter((id) => id.endsWith(idEnd)).sort();
    if (candidates.length === 0) return { problem: 'UNKNOWN' };
    return candidates.length > 1 ? { problem: 'CONFUSABLE', candidates } : { account_id: candidates[0]! };
  }

  /** Returns true for a name that looks like a member's but has other letters. */
  isLookalike(name: string): boolean {
    if (!this.accountsBySkeleton.has(skeletonOf(name))) return false;
    const letters = lettersOf(name);
    return ![...this.accounts.keys()].some((memberName) => lettersOf(memberName) === letters);
  }

  /** Returns the account with an e-mail address; null for any other text. */
  findByAddress(word: string): string | null {
    if (word.length > MAX_WORD_CHARACTERS) return null;
    return this.accountsByAddress.get(foldName(addressIn(word))) ?? null;
  }

  /**
   * Returns the account that a word means.
   * @param field the input that has the word
   * @throws Refusal invalid_input with the nearest names, or the ids of all members with this name
   */
  require(word: string, field: string): string {
    const meaning = this.find(word);
    if ('account_id' in meaning) return meaning.account_id;
    if (meaning.problem === 'CONFUSABLE') {
      const message = `${field} names several members, or looks like the name of another. Give the id of the right one.`;
      const hint = `Their ids: ${meaning.candidates.join(', ')}`;
      throw new Refusal('invalid_input', message, { field, allowed: meaning.candidates, hint });
    }
    const names = this.namesLike(word);
    const message = `${field} ${SCOPES[this.scope]}`;
    throw new Refusal('invalid_input', message, {
      field,
      ...(names.length === 0 ? {} : { hint: `Members with similar names: ${names.join(', ')}` }),
    });
  }

  /** Returns members' names: first those that have a word of this one, then similar ones, the nearest first. */
  private namesLike(text: string): string[] {
    if (this.suggestionsLeft === 0) return [];
    this.suggestionsLeft--;
    const unknown = foldName(text.slice(0, MAX_COMPARED_CHARACTERS));
    const words = unknown.split(' ');
    const [similar, others] = [new Map<string, string>(), new Map<string, string>()];
    for (const [folded, name] of this.names) {
      const sharesWord =
        similar.size < MAX_NAMES_SHARING_A_WORD && words.some((word) => ` ${folded} `.includes(` ${word} `));
      (sharesWord ? similar : others).set(folded.slice(0, MAX_COMPARED_CHARACTERS), name);
    }
    const nearest = (names: ReadonlyMap<string, string>, maxEdits?: number) =>
      nearestNames(unknown, [...names.keys()], MAX_SUGGESTED_NAMES, maxEdits).map((compared) => names.get(compared)!);
    return [...nearest(similar), ...nearest(others, unknown.length / 2)].slice(0, MAX_SUGGESTED_NAMES);
  }
}

function addTo(accounts: Map<string, Set<string>>, key: string, accountId: string): void {
  const ids = accounts.get(key);
  if (ids === undefined) accounts.set(key, new Set([accountId]));
  else ids.add(accountId);
}

function addressIn(word: string): string {
  return ADDRESS.exec(word)?.[1] ?? word;
}

/** Returns true for a value that names a member. ME and ids don't. */
export function isMemberWord(value: unknown): value is string {
  return typeof value === 'string' && !isReservedWord(value);
}

type Memberships = Pick<OrganizationState, 'members' | 'membership_ends'>;

/** Returns the words for an organization's present members, whom a write may name. */
export async function readMemberWords(
  names: NameReader,
  organization: Memberships & { id: string },
  caller: Caller,
  now: string,
): Promise<MemberWords> {
  const { isPresent, seesAddress } = viewOf(organization, caller, now);
  return new MemberWords(await names.readIdentities(Object.keys(organization.members).filter(isPresent), seesAddress));
}

/** Returns the words for all present and former members of an organization, whom a read may name. */
export async function readEverMemberWords(
  { names, models, now }: Pick<Snapshot, 'names' | 'models' | 'now'>,
  caller: Caller,
  id: string,
): Promise<MemberWords> {
  const [organization] = await models.get('organizations', [id]);
  const state = (organization?.doc ?? {}) as Partial<OrganizationState>;
  const { members = {}, membership_ends = {} } = state;
  const { seesAddress } = viewOf({ id, members, membership_ends }, caller, now().toISOString());
  return new MemberWords(await names.readIdentities(allMembersOf(state), seesAddress), 'EVER');
}

/** Tells present members, and whose address a caller may name: owners those of present members, everybody their own. */
function viewOf({ id, members, membership_ends }: Memberships & { id: string }, caller: Caller, now: string) {
  const isPresent = (account: string) => memberRole({ members, membership_ends }, account, now) !== null;
  const seesAll = hasPermission(caller, id, 'changeMembers');
  const seesAddress = (account: string) => (seesAll && isPresent(account)) || account === caller.account_id;
  return { isPresent, seesAddress };
}
