import { randomUUID } from 'node:crypto';
import { organizationAggregate } from '../commands/families.ts';
import type { CommandEnvelope, CommandHandler, CommandResult } from '../commands/handler.ts';
import type { OrganizationCommand, OrganizationState } from '../commands/organization.ts';
import { Refusal } from '../commands/refusal.ts';

/** Who changes members and tokens of an organization. What a member may there is read from its own log beside. */
export type Actor = Pick<CommandEnvelope, 'actor_id' | 'token_id' | 'client' | 'role'>;

/** The service itself, or whoever has its data folder. */
export const SYSTEM_ACTOR: Actor = { actor_id: 'SYSTEM', token_id: null, client: null, role: 'OWNER' };

/** Whether everything is allowed. */
export function isSystem({ actor_id }: Pick<Actor, 'actor_id'>): boolean {
  return actor_id === SYSTEM_ACTOR.actor_id;
}

/** A signed-in account, for commands on organizations: each of them says what its member may. */
export function accountActor(accountId: string): Actor {
  return { actor_id: accountId, token_id: null, client: null, role: 'OWNER' };
}

/**
 * Gives a command to an organization. One that must come to the same when it is given again has an id of its own and
 * the part of its input that is the same each time.
 */
export function executeOrganizationCommand(
  handler: CommandHandler,
  organizationId: string,
  command: OrganizationCommand,
  actor: Actor = SYSTEM_ACTOR,
  repeatable: { command_id: string; input: unknown } = { command_id: randomUUID(), input: command },
): Promise<CommandResult<OrganizationState>> {
  return handler.execute(organizationAggregate(organizationId), command, {
    ...actor,
    ...repeatable,
    organization_id: organizationId,
    correlation_id: repeatable.command_id,
  });
}

/** An organization as it is in the store now. @throws Refusal not_found */
export async function requireOrganization(
  handler: Pick<CommandHandler, 'load'>,
  organizationId: string,
): Promise<OrganizationState> {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state !== null) return state;
  throw new Refusal('not_found', 'There is no such organization: look at the list of yours.', {
    field: 'organization_id',
  });
}
