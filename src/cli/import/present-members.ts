import { findAccount } from '../../identity/accounts/account.ts';
import type { MemberIdentity } from '../../mcp/import/member-words.ts';
import type { OpenInstallation } from '../with-installation.ts';

/** The end of an account's id, which distinguishes two members with one name. */
const SHORT_ID = / \(…[0-9A-Z]+\)$/;

/** Returns an organization's members with their addresses. Anyone with access to the stores may see them. */
export async function presentMembers(
  { accounts, members }: Pick<OpenInstallation, 'accounts' | 'members'>,
  organizationId: string,
): Promise<MemberIdentity[]> {
  return Promise.all(
    (await members.membersOf(organizationId)).map(async ({ account_id, name }) => ({
      account_id,
      name: name.replace(SHORT_ID, ''),
      email: (await findAccount(accounts, account_id))?.email ?? null,
    })),
  );
}
