import { parseArgs } from 'node:util';
import { type Command, onlyArgument } from './command.ts';
import { addressOf } from './connect.ts';
import { findAccount } from './find-account.ts';
import { withInstallation } from './open.ts';

/** Whoever has the stores. */
const OPERATOR = { address: '', agent: 'veritrail account link' };

export const accountLink: Command = {
  help: `Usage: veritrail account link EMAIL|ACCOUNT [--without-factors]

Prints a link that lets somebody choose a new password: for whoever has forgotten theirs. It works once, within an hour,
and ends all their sessions; a second factor is still asked for. Hand it to nobody else. Of an account that has no
e-mail address yet, such as the first owner's, the link lets its owner choose one, within a day.

  --without-factors  takes authenticator app, passkeys and recovery codes away as well: for whoever has lost them all,
                     and whom you know

EMAIL is the address to sign in with, ACCOUNT an id (acc_…): see "veritrail member list".`,

  async run(args, shell) {
    const options = { 'without-factors': { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const named = onlyArgument(positionals, 'the EMAIL or the ACCOUNT (acc_…)');
    await withInstallation(shell, async (service) => {
      const account = await findAccount(service, named);
      const { people, accessLog } = service;
      if (values['without-factors']) {
        await people.factors.clear(account.id);
        for (const factor of ['TOTP', 'PASSKEY'] as const) {
          accessLog.onAccountEvent({ type: 'FACTOR_REMOVED', account_id: account.id, factor, clientInfo: OPERATOR });
        }
      }
      const { secret, record } = await people.accountLinks.create(account.id, 'SYSTEM');
      await accessLog.close();
      shell.out(`${addressOf(service.config)}/welcome?key=${secret}`);
      shell.err(`For ${account.name} (${account.id}), once, until ${record.expires_at}. It is not shown again.`);
    });
  },
};
