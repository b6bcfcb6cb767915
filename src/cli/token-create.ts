import { parseArgs } from 'node:util';
import { ROLES, type Role } from '../commands/caller.ts';
import { DEFAULT_DAYS, type IssuedToken, MAX_DAYS } from '../identity/token-record.ts';
import { findOwner } from './caller.ts';
import { type Command, daysOf, type Shell, UsageError } from './command.ts';
import { clientConfig, endpointOf } from './connect.ts';
import { type Service, withInstallation } from './open.ts';

export const tokenCreate: Command = {
  help: `Usage: veritrail token create --name NAME [options]

Makes an API token of the organization's owner. Prints the token on the first line, then a block for the
configuration of an MCP client. It is shown this once.

  --name NAME          what it is for, such as "audit laptop"
  --role ROLE          ${ROLES.join(', ')} (default EDITOR)
  --organization ID    an organization it reaches; may be repeated (default: the only one)
  --days N             how long it lives, 1 to ${MAX_DAYS} (default ${DEFAULT_DAYS})
  --read-only          no writes, whatever its role`,

  async run(args, shell) {
    const { values } = parseArgs({
      args,
      options: {
        name: { type: 'string' },
        role: { type: 'string', default: 'EDITOR' },
        organization: { type: 'string', multiple: true },
        days: { type: 'string' },
        'read-only': { type: 'boolean', default: false },
      },
    });
    const { name } = values;
    if (!name) throw new UsageError('Give the token a --name.');
    const role = roleOf(values.role);
    const days = daysOf(values.days);
    await withInstallation(shell, async (service) => {
      const organizations = values.organization ?? [service.organizationId];
      const account_id = await findOwner(service, organizations[0]!);
      const read_only = values['read-only'];
      const issued = await service.tokens.create({ name, account_id, role, organizations, read_only, ...days });
      show(issued, service, shell);
    });
  },
};

/** Prints a new token and how to use it. */
export function show({ token, record }: IssuedToken, { config }: Pick<Service, 'config'>, shell: Shell): void {
  shell.out(`${token}\n\n${clientConfig(endpointOf(config), token)}`);
  shell.err(`${record.id} (${record.role}) works until ${record.expires_at}. Keep the token: it is not shown again.`);
}

function roleOf(text: string): Role {
  const role = ROLES.find((known) => known === text.toUpperCase());
  if (role === undefined) throw new UsageError(`--role takes one of ${ROLES.join(', ')}.`);
  return role;
}
