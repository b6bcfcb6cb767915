import { parseArgs } from 'node:util';
import { type Command, onlyArgument, UsageError } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { requireAccount } from './require-account.ts';

/** The client in the access log: the operator, who has access to the stores. */
const OPERATOR = { address: '', agent: 'veritrail session end' };

export const sessionEnd: Command = {
  help: `Usage: veritrail session end EMAIL|ACCOUNT
       veritrail session end --all

Signs a person out of all browsers, for example after a laptop was stolen, or everybody. A running service refuses the
browsers at once. Everybody can sign in again. Tokens and assistants keep working: see "veritrail token revoke".

  --all    ends the sessions of all accounts

EMAIL is the sign-in address. ACCOUNT is an id (acc_…) from "veritrail member list".`,

  async run(args, shell) {
    const options = { all: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.all && positionals.length > 0) throw new UsageError('Give a person, or --all, but not both.');
    const emailOrId = values.all ? null : onlyArgument(positionals, 'the EMAIL or the ACCOUNT (acc_…), or --all');
    await withInstallation(shell, async (service) => {
      const { signIn, sessions } = service.people;
      const accountIds =
        emailOrId === null ? await sessions.accountIds() : [(await requireAccount(service, emailOrId)).id];
      let endedCount = 0;
      for (const id of accountIds) endedCount += await signIn.signOutEverywhere(id, OPERATOR);
      await service.accessLog.close();
      shell.out(endedCount === 1 ? 'Ended 1 session.' : `Ended ${endedCount} sessions.`);
    });
  },
};
