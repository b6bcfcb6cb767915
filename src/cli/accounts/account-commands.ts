import { parseArgs } from 'node:util';
import { serviceUrl } from '../../app/service-address.ts';
import type { Account } from '../../identity/accounts/account.ts';
import { type Command, CommandError, onlyArgument, UsageError } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';

/** Returns the client of a command in the access log: the operator, who has access to the stores. */
const operator = (command: string) => ({ address: '', agent: `veritrail ${command}` });

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
          accessEvents.emit({
            type: 'FACTOR_REMOVED',
            account_id: account.id,
            factor,
            clientInfo: operator('account link'),
          });
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
      await service.people.accounts.changeEmail(account.id, next, operator('account email'));
      await service.accessLog.close();
      shell.out(`${account.name} (${account.id}) now signs in with ${next.trim()}.`);
    });
  },
};

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
      for (const id of accountIds) endedCount += await signIn.signOutEverywhere(id, operator('session end'));
      await service.accessLog.close();
      shell.out(endedCount === 1 ? 'Ended 1 session.' : `Ended ${endedCount} sessions.`);
    });
  },
};

/** Returns the account with this id, or this e-mail address. @throws CommandError if there is none */
export async function requireAccount({ people: { accounts } }: OpenInstallation, emailOrId: string): Promise<Account> {
  const account = await (emailOrId.includes('@') ? accounts.findByEmail(emailOrId) : accounts.get(emailOrId));
  if (account !== null && account.erased_at === null) return account;
  throw new CommandError(`Account ${emailOrId} was not found. List the accounts with "veritrail member list".`);
}
