import { parseArgs } from 'node:util';
import { type Command, UsageError } from './command.ts';
import { findAccount } from './find-account.ts';
import { withInstallation } from './open.ts';

/** Whoever has the stores. */
const OPERATOR = { address: '', agent: 'veritrail account email' };

export const accountEmail: Command = {
  help: `Usage: veritrail account email EMAIL|ACCOUNT NEW

Changes the e-mail address of an account to NEW. Its owner signs in with NEW from then on, by the same password. Sessions,
tokens and assistants go on. Nobody can do this in the browser, because it tells which addresses have an account.

EMAIL is the address to sign in with now, ACCOUNT an id (acc_…): see "veritrail member list".`,

  async run(args, shell) {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const [named, next, ...rest] = positionals;
    if (named === undefined || next === undefined || rest.length > 0) {
      throw new UsageError('Give the EMAIL or the ACCOUNT (acc_…), and the NEW address.');
    }
    await withInstallation(shell, async (service) => {
      const account = await findAccount(service, named);
      await service.people.accounts.changeEmail(account.id, next, OPERATOR);
      await service.accessLog.close();
      shell.out(`${account.name} (${account.id}) signs in with ${next.trim()} from now on.`);
    });
  },
};
