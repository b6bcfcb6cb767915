import { parseArgs } from 'node:util';
import { type Command, onlyArgument } from '../command.ts';
import { withInstallation } from '../with-installation.ts';

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
