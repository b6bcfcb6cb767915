import type { Caller } from '../commands/caller.ts';
import { organizationAggregate } from '../commands/families.ts';
import { VERSION } from '../version.ts';
import { CommandError } from './command.ts';
import type { Service } from './open.ts';
import { findOwner } from './token-create.ts';

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
