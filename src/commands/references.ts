import { familyOf, organizationAggregate, recordAggregate } from './families.ts';
import type { CommandHandler } from './handler.ts';
import type { RecordFacts } from './record.ts';
import { Refusal } from './refusal.ts';

/*
 * What a command names beside its own record is checked on the named one's own stream, never by a read model.
 */

type Handler = Pick<CommandHandler, 'load'>;

/** Refuses an account that is no member of the organization. Asked of the store: no append checks what is cached here. */
export async function requireMember(handler: Handler, organizationId: string, field: string, account: string) {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state?.members[account] !== undefined) return;
  throw new Refusal('invalid_input', `${field} is no member: listOrganizations with include_members names them.`, {
    field,
  });
}

/** Refuses what is not there, what another organization has (alike), and what is archived. */
export async function requireLive(handler: Handler, organizationId: string, id: string, field: string): Promise<void> {
  const found = await handler.load(recordAggregate(id), true);
  if (found.organization_id !== organizationId) {
    throw new Refusal('not_found', `There is no ${id} here: list the records to find its id.`, { field });
  }
  if ((found.state as RecordFacts).archived_at !== null) {
    throw new Refusal('invalid_transition', `${id} is archived: restore it with archiveRecords, or name another.`, {
      field,
      allowed: ['RESTORE'],
    });
  }
  await refuseUnderArchived(handler, id, field);
}

/** A control of an archived framework takes no writes. `field` is the one that names it, where another record does. */
export async function refuseUnderArchived(handler: Handler, id: string, field?: string): Promise<void> {
  const parent = familyOf(id).parent?.(id);
  if (parent === undefined) return;
  const { state } = await handler.load(recordAggregate(parent), true);
  if ((state as RecordFacts | null)?.archived_at == null) return;
  throw new Refusal(
    'invalid_transition',
    `${field === undefined ? 'This record' : id} is archived with what it belongs to: restore that, then repeat.`,
    {
      ...(field === undefined ? {} : { field }),
      allowed: ['RESTORE'],
      hint: `Restore ${parent} with archiveRecords.`,
    },
  );
}

/** Checks every record that some fields name. */
export async function requireReferences(
  handler: Handler,
  organizationId: string,
  references: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const field of references) {
    const named = fields[field];
    for (const id of Array.isArray(named) ? named : [named]) {
      if (typeof id === 'string') await requireLive(handler, organizationId, id, field);
    }
  }
}
