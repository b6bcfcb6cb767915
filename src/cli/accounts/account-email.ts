import { parseArgs } from 'node:util';
import { type Command, UsageError } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { requireAccount } from './require-account.ts';

/** The client in the access log: the operator, who has access to the stores. */
const OPERATOR = { address: '', agent: 'veritrail account email' };

export const accountEmail: Command = {
  help: `Usage: veritrail account email EMAIL|ACCOUNT NEW

Changes the e-mail address of an account to NEW. The person then signs in with NEW and the same password. Sessions, tokens
and assistants keep working. The browser can't do this, because it would reveal which addresses have an account.

EMAIL is the current address. ACCOUNT is an id (acc_…) from "veritrail member list".`,

  async run(args, shell) {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const [emailOrId, next, ...rest] = positionals;
    if (emailOrId === undefined || next === undefined || rest.length > 0) {
      throw new UsageError('Give the EMAIL or the ACCOUNT (acc_…), and the NEW address.');
    }
    await withInstallation(shell, async (service) => {
      const account = await requireAccount(service, emailOrId);
      await service.people.accounts.changeEmail(account.id, next, OPERATOR);
      await service.accessLog.close();
      shell.out(`${account.name} (${account.id}) now signs in with ${next.trim()}.`);
    });
  },
};
