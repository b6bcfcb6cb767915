import { randomUUID } from 'node:crypto';
import type { CommandEnvelope, CommandHandler, CommandResult, Rehearsal } from '../../commands/engine/handler.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { OrganizationCommand, OrganizationState } from '../../commands/organization/organization.ts';

/** The actor of a change to members or tokens. The organization's own log decides what a member may do. */
export type Actor = Pick<CommandEnvelope, 'actor_id' | 'token_id' | 'client' | 'role' | 'hasValidCredential'>;

/** The service itself, or the operator at the command line. */
export const SYSTEM_ACTOR: Actor = { actor_id: 'SYSTEM', token_id: null, client: null, role: 'OWNER' };

/** Returns true for the service itself, which may do everything. */
export function isSystem({ actor_id }: Pick<Actor, 'actor_id'>): boolean {
  return actor_id === SYSTEM_ACTOR.actor_id;
}

/**
 * Returns the actor for a signed-in account. The organization checks what its member may do.
 * @param hasValidCredential tells if the session that acts is still valid
 */
export function accountActor(accountId: string, hasValidCredential?: Actor['hasValidCredential']): Actor {
  return { actor_id: accountId, token_id: null, client: null, role: 'OWNER', hasValidCredential };
}

/**
 * Executes a command of an organization.
 * @param repeatable identifies a command that must be done once, however often it is called
 */
export function executeOrganizationCommand(
  handler: CommandHandler,
  organizationId: string,
  command: OrganizationCommand,
  actor: Actor = SYSTEM_ACTOR,
  repeatable: RepeatableCommand = { command_id: randomUUID(), input: command },
): Promise<CommandResult<OrganizationState>> {
  const envelope = organizationEnvelope(organizationId, actor, repeatable);
  return handler.execute(organizationAggregate(organizationId), command, envelope);
}

/** Decides a command of an organization and writes nothing. @throws Refusal if it would be refused now */
export function rehearseOrganizationCommand(
  handler: CommandHandler,
  organizationId: string,
  command: OrganizationCommand,
  actor: Actor,
): Promise<Rehearsal> {
  const envelope = organizationEnvelope(organizationId, actor, { command_id: randomUUID(), input: command });
  return handler.rehearse(organizationAggregate(organizationId), command, envelope);
}

type RepeatableCommand = Pick<CommandEnvelope, 'command_id' | 'input'>;

function organizationEnvelope(organization_id: string, actor: Actor, repeatable: RepeatableCommand): CommandEnvelope {
  return { ...actor, ...repeatable, organization_id, correlation_id: repeatable.command_id };
}

/** Returns an organization's current state. @throws Refusal not_found */
export async function requireOrganization(
  handler: Pick<CommandHandler, 'load'>,
  organizationId: string,
): Promise<OrganizationState> {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state !== null) return state;
  throw new Refusal('not_found', 'There is no such organization. Check the list of your organizations.', {
    field: 'organization_id',
  });
}
