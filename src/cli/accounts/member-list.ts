import { parseArgs } from 'node:util';
import { type Account, findAccount } from '../../identity/accounts/account.ts';
import type { Member } from '../../identity/memberships/members.ts';
import { type Command, optionalArgument, textTable } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';

export const memberList: Command = {
  help: `Usage: veritrail member list [ORGANIZATION] [--json]

Lists the members of an organization, the highest role first, with account, name, sign-in e-mail address, role and the
end of the access.
ORGANIZATION is an id (org_…). The default is the first organization.

  --json    prints a JSON array instead of a table`,

  async run(args, shell) {
    const options = { json: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const requestedId = optionalArgument(positionals, 'one ORGANIZATION (org_…)');
    await withInstallation(shell, async (service) => {
      const members = await service.members.membersOf(requestedId ?? service.organizationId);
      const listedMembers = await Promise.all(members.map((member) => withEmail(service, member)));
      shell.out(values.json ? JSON.stringify(listedMembers, null, 2) : table(listedMembers));
    });
  },
};

type ListedMember = Member & Pick<Account, 'email'>;

async function withEmail({ accounts }: OpenInstallation, member: Member): Promise<ListedMember> {
  return { ...member, email: (await findAccount(accounts, member.account_id))?.email ?? null };
}

function table(members: readonly ListedMember[]): string {
  const rows = members.map(({ account_id, name, email, role, until, ended }) => [
    account_id,
    name,
    email ?? 'none',
    role,
    until === null ? '' : `${ended ? 'ended' : 'until'} ${until}`,
  ]);
  return textTable([['ACCOUNT', 'NAME', 'E-MAIL', 'ROLE', 'ACCESS'], ...rows]);
}
