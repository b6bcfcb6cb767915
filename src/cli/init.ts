import { parseArgs } from 'node:util';
import { adoptLog } from '../identity/adopt.ts';
import { type Command, UsageError } from './command.ts';
import { withStores } from './open.ts';
import { show } from './token-create.ts';

export const init: Command = {
  help: `Usage: veritrail init --adopt-log

For when the account store is lost and no backup of it is left: takes over the log's installation, makes a new account
that is OWNER of every organization in the log, and prints a token of it, once, with the role ADMIN. All earlier tokens
stop working, and the names of earlier accounts are gone. Stop the service first; the account store must be empty.

  --adopt-log    said in full, since it gives all the log's organizations to whoever runs it`,

  async run(args, shell) {
    const { values } = parseArgs({ args, options: { 'adopt-log': { type: 'boolean', default: false } } });
    if (!values['adopt-log']) throw new UsageError('Say --adopt-log: the service makes everything else by itself.');
    await withStores(shell, async (service) => {
      const { accounts, events, tokens, handler } = service;
      const issued = await adoptLog({ accounts, log: events, tokens, handler, now: () => new Date() });
      show(issued, service, shell);
    });
  },
};
