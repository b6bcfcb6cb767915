import { parseArgs } from 'node:util';
import { adoptLog } from '../identity/installation/adopt-log.ts';
import { printToken } from './accounts/tokens.ts';
import { type Command, UsageError } from './command.ts';
import { withStores } from './with-installation.ts';

export const init: Command = {
  help: `Usage: veritrail init --adopt-log

Use this if the account store is lost and there is no backup of it. It takes over the log's installation, creates an
account that is OWNER of every organization in the log, and prints an ADMIN token of it once. All earlier tokens stop
working, and the names of earlier accounts are lost. Stop the service first. The account store must be empty.

  --adopt-log    required, because the command gives you all organizations in the log`,

  async run(args, shell) {
    const { values } = parseArgs({ args, options: { 'adopt-log': { type: 'boolean', default: false } } });
    if (!values['adopt-log']) throw new UsageError('Give --adopt-log. The service creates everything else by itself.');
    await withStores(
      shell,
      async (service) => {
        const { accounts, events, tokens, handler, clock } = service;
        const issuedToken = await adoptLog({ accounts, log: events, tokens, handler, now: clock.now });
        printToken(issuedToken, service, shell);
      },
      { writes: true },
    );
  },
};
