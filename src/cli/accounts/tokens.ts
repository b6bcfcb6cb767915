import { parseArgs } from 'node:util';
import { mcpEndpointUrl } from '../../app/service-address.ts';
import { ROLES, type Role } from '../../commands/organization/caller.ts';
import { withoutInternalFields } from '../../identity/tokens/token-lists.ts';
import {
  DEFAULT_TOKEN_DAYS,
  type IssuedToken,
  MAX_TOKEN_DAYS,
  type TokenRecord,
} from '../../identity/tokens/token-record.ts';
import { AUTONOMIES, type Autonomy } from '../../register/proposal.ts';
import { mcpServersConfig } from '../../web/texts/connect-blocks.ts';
import { type Command, daysOf, onlyArgument, type Shell, textTable, UsageError } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import { requireOwnerAccount } from './caller-for.ts';

export const tokenCreate: Command = {
  help: `Usage: veritrail token create --name NAME [options]

Creates an API token for the organization's owner. Prints the token on the first line, then a block for the configuration
of an MCP client. The token is not shown again.

  --name NAME          a name, such as "audit laptop"
  --role ROLE          ${ROLES.join(', ')} (default EDITOR)
  --organization ID    an organization that the token can use; may be repeated (default: the only one)
  --days N             expires in N days, 1 to ${MAX_TOKEN_DAYS} (default ${DEFAULT_TOKEN_DAYS})
  --read-only          allows no writes, whatever the role
  --autonomy WORD      what it may do without a person: all (default), decisions-proposed, propose-only`,

  async run(args, shell) {
    const { values } = parseArgs({
      args,
      options: {
        name: { type: 'string' },
        role: { type: 'string', default: 'EDITOR' },
        organization: { type: 'string', multiple: true },
        days: { type: 'string' },
        'read-only': { type: 'boolean', default: false },
        autonomy: { type: 'string', default: 'all' },
      },
    });
    const { name } = values;
    if (!name) throw new UsageError('Give the token a --name.');
    const role = roleOf(values.role);
    const autonomy = autonomyFrom(values.autonomy);
    const days = daysOf(values.days);
    await withInstallation(
      shell,
      async (service) => {
        const organizations = values.organization ?? [service.organizationId];
        const account_id = await requireOwnerAccount(service, organizations[0]!);
        const read_only = values['read-only'];
        const issuedToken = await service.tokens.create({
          name,
          account_id,
          role,
          organizations,
          read_only,
          autonomy,
          ...days,
        });
        printToken(issuedToken, service, shell);
      },
      { writes: true },
    );
  },
};

/** Prints a new token and the configuration for a client. */
export function printToken(
  { token, record }: IssuedToken,
  { config }: Pick<OpenInstallation, 'config'>,
  shell: Shell,
): void {
  shell.out(`${token}\n\n${mcpServersConfig(mcpEndpointUrl(config), token)}`);
  shell.err(
    `${record.id} (${record.role}) expires at ${record.expires_at}. Copy the token now: it is not shown again.`,
  );
}

function roleOf(text: string): Role {
  const role = ROLES.find((candidate) => candidate === text.toUpperCase());
  if (role === undefined) throw new UsageError(`--role takes one of ${ROLES.join(', ')}.`);
  return role;
}

function autonomyFrom(text: string): Autonomy {
  const autonomy = AUTONOMIES.find((candidate) => candidate === text.toUpperCase().replaceAll('-', '_'));
  if (autonomy !== undefined) return autonomy;
  throw new UsageError('--autonomy takes all, decisions-proposed or propose-only.');
}

export const tokenList: Command = {
  help: `Usage: veritrail token list [--json]

Lists the API tokens and connected assistants, newest first. The TOKEN column shows
the last four characters of an API token.

  --json    prints a JSON array instead of a table`,

  async run(args, shell) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
    await withInstallation(shell, async ({ tokens, clock }) => {
      const records = await tokens.list();
      shell.out(
        values.json
          ? JSON.stringify(records.map(withoutInternalFields), null, 2)
          : table(records, clock.now().toISOString()),
      );
    });
  },
};

const HEADINGS = ['ID', 'NAME', 'ROLE', 'TOKEN', 'CREATED', 'LAST USED', 'STATE'];

function table(records: readonly TokenRecord[], now: string): string {
  return textTable([HEADINGS, ...records.map((record) => row(record, now))]);
}

function row(record: TokenRecord, now: string): string[] {
  const role = record.read_only ? `${record.role} (read only)` : record.role;
  const lastUsed = record.last_used_at === null ? 'never' : toMinute(record.last_used_at);
  return [
    record.id,
    record.name,
    role,
    record.kind === 'ASSISTANT' ? 'assistant' : `…${record.last_four}`,
    toMinute(record.created_at),
    lastUsed,
    stateOf(record, now),
  ];
}

function stateOf({ revoked_at, expires_at }: TokenRecord, now: string): string {
  if (revoked_at !== null) return `revoked ${toMinute(revoked_at)}`;
  return `${expires_at <= now ? 'expired' : 'until'} ${toMinute(expires_at)}`;
}

function toMinute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')}Z`;
}

export const tokenRegenerate: Command = {
  help: `Usage: veritrail token regenerate ID [--days N]

Replaces a token's text, sets a new expiry, and prints the new text once. The old text stops working within a second.
ID is from "veritrail token list".

  --days N    expires in N days, 1 to ${MAX_TOKEN_DAYS} (default ${DEFAULT_TOKEN_DAYS})`,

  async run(args, shell) {
    const options = { days: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const id = onlyArgument(positionals, 'the ID of the token (tok_…)');
    const { days } = daysOf(values.days);
    await withInstallation(
      shell,
      async (service) => {
        printToken(await service.tokens.regenerate(id, days), service, shell);
      },
      { writes: true },
    );
  },
};

export const tokenRevoke: Command = {
  help: `Usage: veritrail token revoke ID [--reason TEXT]

Revokes an API token for good. A running service refuses it within a second. ID is from "veritrail token list".

  --reason TEXT    the reason, which the organization's history keeps`,

  async run(args, shell) {
    const options = { reason: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const id = onlyArgument(positionals, 'the ID of the token (tok_…)');
    await withInstallation(
      shell,
      async ({ tokens }) => {
        await tokens.revoke(id, values.reason);
        shell.out(`Revoked ${id}.`);
      },
      { writes: true },
    );
  },
};
