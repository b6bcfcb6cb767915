import { parseArgs } from 'node:util';
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '../../identity/tokens/token-record.ts';
import { type Command, daysOf, onlyArgument } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { printToken } from './token-create.ts';

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
