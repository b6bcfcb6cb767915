import { randomUUID } from 'node:crypto';
import type { Role } from '../commands/caller.ts';
import { organizationAggregate } from '../commands/families.ts';
import type { CommandHandler, Envelope, Executed } from '../commands/handler.ts';
import type { OrganizationCommand, OrganizationState } from '../commands/organization.ts';

/** Who changes members and tokens. */
export type Actor = Pick<Envelope, 'actor_id' | 'token_id' | 'client'> & { role: Role };

/** The service itself, or whoever has its data folder. */
export const SYSTEM: Actor = { actor_id: 'SYSTEM', token_id: null, client: null, role: 'OWNER' };

/**
 * Gives a command to an organization. One that must come to the same when it is given again has an id of its own and
 * the part of its input that is the same each time.
 */
export function commandOrganization(
  handler: CommandHandler,
  organizationId: string,
  command: OrganizationCommand,
  actor: Actor = SYSTEM,
  repeatable: { command_id: string; input: unknown } = { command_id: randomUUID(), input: command },
): Promise<Executed<OrganizationState>> {
  return handler.execute(organizationAggregate(organizationId), command, {
    ...actor,
    ...repeatable,
    organization_id: organizationId,
    correlation_id: repeatable.command_id,
  });
}
