import { parseArgs } from 'node:util';
import { DEFAULT_DAYS, MAX_DAYS } from '../identity/token-record.ts';
import { type Command, daysOf, onlyArgument } from './command.ts';
import { withInstallation } from './open.ts';
import { show } from './token-create.ts';

export const tokenRegenerate: Command = {
  help: `Usage: veritrail token regenerate ID [--days N]

Gives a token another text and a new life, and prints it, once. The text it had stops working within a second.
ID is from "veritrail token list".

  --days N    how long it lives from now, 1 to ${MAX_DAYS} (default ${DEFAULT_DAYS})`,

  async run(args, shell) {
    const options = { days: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const id = onlyArgument(positionals, 'the ID of the token (tok_…)');
    const { days } = daysOf(values.days);
    await withInstallation(shell, async (service) => {
      show(await service.tokens.regenerate(id, days), service, shell);
    });
  },
};
