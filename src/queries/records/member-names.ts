import { idPrefix } from '../../commands/engine/ids.ts';
import { allMembersOf } from '../../commands/organization/organization-members.ts';
import type { OrganizationState } from '../../commands/organization/organization-state.ts';
import type { ReadModels } from '../../stores/read-store.ts';

/** The names of accounts at any time, as one organization's readers see them. */
export interface MemberNames {
  /** Returns the name that an account had at a time, by default now; "former member" for an erased one. */
  of(accountId: string, at?: string | null): string;
}

/** Returns the current and former members of an organization. Called only if two accounts share a name. */
export type ReadAllMembers = () => Promise<ReadonlySet<string>>;

/** Reads names of accounts. Events contain no names, so every read of history adds them. Identity implements it. */
export interface NameReader {
  readNames(accountIds: Iterable<string>, readAllMembers: ReadAllMembers): Promise<MemberNames>;
  /** Returns the names of people without accounts in an organization's imported files, by id. */
  readImportedNames(organizationId: string, ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** Reads current and earlier names, without erased accounts. @param seesAddress returns true for accounts whose address to read too */
  readIdentities(accountIds: Iterable<string>, seesAddress: (id: string) => boolean): Promise<MemberIdentity[]>;
}

/** An account as others write it. */
export interface MemberIdentity {
  account_id: string;
  name: string;
  earlierNames?: readonly string[];
  /** Null if the reader may not see it. */
  email: string | null;
}

/** Characters of an account's id that distinguish it from another with the same name. */
const SHORT_ID_CHARACTERS = 5;
const DISTINCT_NAME = new RegExp(`^(.*\\S) \\(…([0-9A-Z]{${SHORT_ID_CHARACTERS}})\\)$`, 'i');

/** Returns an account's name as it is shown if another account has it too: `Kim Lee (…7QX2M)`. */
export function distinctName(name: string, id: string): string {
  return `${name} (…${id.slice(-SHORT_ID_CHARACTERS)})`;
}

/** Returns the name in a distinct name, and the end of its account's id; the word and no end for another word. */
export function readDistinctName(word: string): { name: string; idEnd: string } {
  const [, name = word, idEnd = ''] = DISTINCT_NAME.exec(word) ?? [];
  return { name, idEnd: idEnd.toUpperCase() };
}

/** The sources of members' names. */
export interface MemberNamesReader {
  names: NameReader;
  readonly models: Pick<ReadModels, 'get'>;
}

/** Reads the names of accounts, and those in imported files, as an organization's readers see them. */
export async function readMemberNames(
  reader: MemberNamesReader,
  organizationId: string,
  ids: Iterable<string>,
): Promise<MemberNames> {
  const allIds = [...ids];
  const accountIds = allIds.filter((id) => !isImportedName(id));
  const members = await reader.names.readNames(accountIds, () => readAllMembersOf(reader, organizationId));
  if (accountIds.length === allIds.length) return members;
  const importedNames = await reader.names.readImportedNames(organizationId, allIds.filter(isImportedName));
  return { of: (id, at) => (isImportedName(id) ? (importedNames.get(id) ?? id) : members.of(id, at)) };
}

/** Returns true for the id of a name in an imported file. */
export function isImportedName(id: string): boolean {
  return idPrefix(id) === 'nam';
}

/** Returns an organization's current and former members. */
export async function readAllMembersOf(
  { models }: Pick<MemberNamesReader, 'models'>,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const [organization] = await models.get('organizations', [organizationId]);
  return allMembersOf((organization?.doc ?? {}) as Partial<OrganizationState>);
}
