import type { Caller } from '../commands/caller.ts';
import { organizationAggregate } from '../commands/families.ts';
import { VERSION } from '../version.ts';
import { CommandError } from './command.ts';
import type { Service } from './open.ts';

/**
 * A member of the organization for whom a command writes, with the role it has there: its OWNER unless an account is
 * given. Whoever reaches the stores may choose.
 */
export async function callerFor(
  stores: Service,
  command: string,
  organizationId: string,
  account: string | undefined,
): Promise<Caller> {
  const account_id = account ?? (await findOwner(stores, organizationId));
  const { state } = await stores.handler.load(organizationAggregate(organizationId));
  const role = state?.members[account_id];
  if (role === undefined) throw new CommandError(`${account_id} is no member of ${organizationId}.`);
  const client = { name: `veritrail ${command}`, version: VERSION };
  const roles = new Map([[organizationId, role]]);
  return { account_id, token_id: null, client, roles, members: roles, read_only: false };
}

/** An owner with an account here. @throws CommandError where there is none, or no such organization */
export async function findOwner(service: Owned, organizationId: string): Promise<string> {
  const owner = await ownerHere(service, organizationId);
  if (owner === null) throw new CommandError(`${organizationId} has no OWNER with an account here.`);
  return owner;
}

type Owned = Pick<Service, 'handler' | 'accounts'>;

/**
 * The owner whose account is kept; an account of a lost account store is a member still, but nobody's. Null where there is
 * none.
 * @throws CommandError where there is no such organization
 */
export async function ownerHere({ handler, accounts }: Owned, organizationId: string): Promise<string | null> {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state === null) throw new CommandError(`There is no organization ${organizationId}.`);
  for (const [account, role] of Object.entries(state.members)) {
    if (role === 'OWNER' && (await accounts.get('accounts', account)) !== null) return account;
  }
  return null;
}
