import { organizationAggregate } from '../../commands/families.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { memberRole } from '../../commands/organization/organization-state.ts';
import { VERSION } from '../../version.ts';
import { CommandError } from '../command.ts';
import type { OpenInstallation } from '../with-installation.ts';

/**
 * Returns the member for whom a command writes. By default that is the organization's OWNER. Anyone with access to the
 * stores may choose another member.
 */
export async function callerFor(
  installation: OpenInstallation,
  command: string,
  organizationId: string,
  account: string | undefined,
): Promise<Caller> {
  const account_id = account ?? (await requireOwnerAccount(installation, organizationId));
  const { state } = await installation.handler.load(organizationAggregate(organizationId));
  const role = state && memberRole(state, account_id, installation.handler.now());
  if (role === null)
    throw new CommandError(`${account_id} is not a member of ${organizationId}. See "veritrail member list".`);
  const client = { name: `veritrail ${command}`, version: VERSION };
  const roles = new Map([[organizationId, role]]);
  return { account_id, token_id: null, client, roles, members: roles, read_only: false };
}

/** Returns the caller of a command that acts for nobody, for the access log. It has no role anywhere. */
export function commandLineCaller(command: string): Caller {
  const client = { name: `veritrail ${command}`, version: VERSION };
  return { account_id: 'SYSTEM', token_id: null, client, roles: new Map(), members: new Map(), read_only: true };
}

/** Returns an owner with an account in this account store. @throws CommandError if there is none, or no such organization */
export async function requireOwnerAccount(installation: OwnerInstallation, organizationId: string): Promise<string> {
  const owner = await findOwnerAccount(installation, organizationId);
  if (owner === null) throw new CommandError(`${organizationId} has no OWNER with an account here.`);
  return owner;
}

type OwnerInstallation = Pick<OpenInstallation, 'handler' | 'accounts'>;

/**
 * Returns an owner with an account in this account store, or null. Accounts of a lost account store are still members,
 * but can't sign in.
 * @throws CommandError for an unknown organization
 */
export async function findOwnerAccount(
  { handler, accounts }: OwnerInstallation,
  organizationId: string,
): Promise<string | null> {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state === null) throw new CommandError(`Organization ${organizationId} was not found. Check the id.`);
  for (const [account, role] of Object.entries(state.members)) {
    if (role === 'OWNER' && (await accounts.get('accounts', account)) !== null) return account;
  }
  return null;
}
