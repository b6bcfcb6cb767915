import type { Aggregate } from '../commands/aggregate.ts';
import type { Caller, Role } from '../commands/caller.ts';
import { recordAggregate } from '../commands/families.ts';
import type { Envelope, Executed } from '../commands/handler.ts';
import { commandId, itemCommandId } from '../commands/ids.ts';
import { refuseUnderArchived } from '../commands/references.ts';
import { Refusal } from '../commands/refusal.ts';
import type { Service } from './service.ts';
import { envelope, organizationOf, readable, writerIn } from './write.ts';

export interface ArchiveInput {
  ids: readonly string[];
  organization_id?: string | undefined;
  action: 'ARCHIVE' | 'RESTORE';
  reason: string;
  idempotency_key?: string | undefined;
}

interface Item {
  id: string;
  aggregate: Aggregate;
  envelope: Envelope;
}

interface Answer {
  id: string;
  archived_at: string | null;
  /** How many live records point at it: links come with the families that have them. */
  referred_by: number;
  errors?: object[];
}

/**
 * Archives or restores records one by one, after all have been judged. Cut in the middle, the same call finishes it:
 * each record has a command id of its own.
 */
export async function archiveRecords(service: Service, caller: Caller, input: ArchiveInput): Promise<object> {
  const command = { type: input.action === 'ARCHIVE' ? 'Archive' : 'Restore', reason: input.reason } as const;
  const { organizationId, items } = await itemsOf(service, caller, input);
  for (const item of items) {
    await refuseUnderArchived(service.handler, item.id);
    await service.handler.rehearse(item.aggregate, command, item.envelope);
  }
  const records: Answer[] = [];
  const done: Executed<object>[] = [];
  for (const item of items) {
    const { id } = item;
    try {
      const executed = await service.handler.execute(item.aggregate, command, item.envelope);
      done.push(executed);
      records.push({ id, archived_at: (executed.state as { archived_at: string | null }).archived_at, referred_by: 0 });
    } catch (error) {
      // Unavailable ends the call: repeated with the same key it goes on where it stopped.
      if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
      records.push({ id, archived_at: null, referred_by: 0, errors: [error.toJSON()] });
    }
  }
  const canBeRead = await Promise.all(done.map((executed) => readable(service, organizationId, executed)));
  return { records, ...(canBeRead.every(Boolean) ? {} : { pending: true }) };
}

async function itemsOf(
  service: Service,
  caller: Caller,
  input: ArchiveInput,
): Promise<{ organizationId: string; items: Item[] }> {
  const { action, reason } = input;
  const ids = [...new Set(input.ids)];
  const organizations = new Map<string, string>();
  for (const id of ids) {
    organizations.set(id, await organizationOf(service, caller, id, input.organization_id, 'ids'));
  }
  const [organizationId] = organizations.values() as unknown as [string];
  if ([...organizations.values()].some((other) => other !== organizationId)) {
    throw new Refusal('invalid_input', 'Records of two organizations never meet in one call: archive each apart.', {
      field: 'ids',
    });
  }
  const role: Role = writerIn(caller, organizationId, 'ADMIN');
  const whole = commandId([organizationId, 'archiveRecords'], input.idempotency_key);
  const items = ids.map((id) => ({
    id,
    aggregate: recordAggregate(id),
    envelope: {
      ...envelope(caller, organizationId, role),
      command_id: itemCommandId(whole, id),
      input: { id, action, reason },
    },
  }));
  return { organizationId, items };
}
