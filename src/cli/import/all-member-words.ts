import { MemberWords } from '../../queries/records/member-words.ts';
import type { OpenInstallation } from '../with-installation.ts';

/** Returns the words for an organization's present members. Anyone with access to the stores may see all addresses. */
export async function allMemberWords(
  { members, names }: Pick<OpenInstallation, 'members' | 'names'>,
  organizationId: string,
): Promise<MemberWords> {
  const present = (await members.membersOf(organizationId)).filter(({ ended }) => !ended);
  const accounts = present.map(({ account_id }) => account_id);
  return new MemberWords(await names.readIdentities(accounts, () => true));
}
