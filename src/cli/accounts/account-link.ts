import { parseArgs } from 'node:util';
import { serviceUrl } from '../../app/service-address.ts';
import { type Command, onlyArgument } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { requireAccount } from './require-account.ts';

/** The client in the access log: the operator, who has access to the stores. */
const OPERATOR_CLIENT = { address: '', agent: 'veritrail account link' };

export const accountLink: Command = {
  help: `Usage: veritrail account link EMAIL|ACCOUNT [--without-factors]

Prints a link for a person who has forgotten their password. They choose a new one, which ends all their sessions. The link
works once and expires after an hour. Give it to that person only. Signing in still needs the second factor,
unless you pass --without-factors. If the account has no e-mail address yet, like the first owner's, the link also sets
one and expires after a day.

  --without-factors  also removes the authenticator app, passkeys and recovery codes, for a person who has lost them all.
                     Verify the person's identity first

EMAIL is the sign-in address. ACCOUNT is an id (acc_…) from "veritrail member list".`,

  async run(args, shell) {
    const options = { 'without-factors': { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const emailOrId = onlyArgument(positionals, 'the EMAIL or the ACCOUNT (acc_…)');
    await withInstallation(shell, async (service) => {
      const account = await requireAccount(service, emailOrId);
      const { people, accessEvents, accessLog } = service;
      if (values['without-factors']) {
        for (const factor of await people.factors.removeAll(account.id)) {
          accessEvents.emit({ type: 'FACTOR_REMOVED', account_id: account.id, factor, clientInfo: OPERATOR_CLIENT });
        }
      }
      const { secret, record } = await people.accountLinks.create(account.id, 'SYSTEM');
      await accessLog.close();
      shell.out(`${serviceUrl(service.config)}/welcome?key=${secret}`);
      shell.err(
        `For ${account.name} (${account.id}). Works once and expires at ${record.expires_at}. It is not shown again.`,
      );
    });
  },
};
