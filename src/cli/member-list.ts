import { parseArgs } from 'node:util';
import { type Account, accountIn } from '../identity/account.ts';
import type { Member } from '../identity/members.ts';
import { type Command, optionalArgument } from './command.ts';
import { type Service, withInstallation } from './open.ts';
import { textTable } from './table.ts';

export const memberList: Command = {
  help: `Usage: veritrail member list [ORGANIZATION] [--json]

Lists the members of an organization, the highest role first: the account, the name, the e-mail address to sign in with,
and the role. ORGANIZATION is an id (org_…); the first organization unless given.

  --json    one JSON array instead of a table`,

  async run(args, shell) {
    const options = { json: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const named = optionalArgument(positionals, 'one ORGANIZATION (org_…)');
    await withInstallation(shell, async (service) => {
      const members = await service.members.membersOf(named ?? service.organizationId);
      const shown = await Promise.all(members.map((member) => withEmail(service, member)));
      shell.out(values.json ? JSON.stringify(shown, null, 2) : table(shown));
    });
  },
};

type Shown = Member & Pick<Account, 'email'>;

async function withEmail({ accounts }: Service, member: Member): Promise<Shown> {
  return { ...member, email: (await accountIn(accounts, member.account_id))?.email ?? null };
}

function table(members: readonly Shown[]): string {
  const rows = members.map(({ account_id, name, email, role }) => [account_id, name, email ?? 'none', role]);
  return textTable([['ACCOUNT', 'NAME', 'E-MAIL', 'ROLE'], ...rows]);
}
