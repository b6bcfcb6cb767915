import type { Account } from '../../identity/accounts/account.ts';
import { CommandError } from '../command.ts';
import type { OpenInstallation } from '../with-installation.ts';

/** Returns the account with this id, or this e-mail address. @throws CommandError if there is none */
export async function requireAccount({ people: { accounts } }: OpenInstallation, emailOrId: string): Promise<Account> {
  const account = await (emailOrId.includes('@') ? accounts.findByEmail(emailOrId) : accounts.get(emailOrId));
  if (account !== null && account.erased_at === null) return account;
  throw new CommandError(`Account ${emailOrId} was not found. List the accounts with "veritrail member list".`);
}
