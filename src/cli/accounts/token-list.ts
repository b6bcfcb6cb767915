import { parseArgs } from 'node:util';
import { withoutInternalFields } from '../../identity/tokens/token-lists.ts';
import type { TokenRecord } from '../../identity/tokens/token-record.ts';
import type { Command } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { textTable } from './text-table.ts';

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
