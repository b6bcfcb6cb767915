import type { Account } from '../identity/account.ts';
import { CommandError } from './command.ts';
import type { OpenInstallation } from './with-installation.ts';

/** Returns the account with this id, or this e-mail address. @throws CommandError where there is none */
export async function findAccount({ people: { accounts } }: OpenInstallation, named: string): Promise<Account> {
  const account = await (named.includes('@') ? accounts.findByEmail(named) : accounts.get(named));
  if (account !== null && account.erased_at === null) return account;
  throw new CommandError(`There is no account ${named}. "veritrail member list" names those there are.`);
}
