import type { Caller } from '../commands/caller.ts';
import { recordAggregate } from '../commands/families.ts';
import { commandId, itemCommandId } from '../commands/ids.ts';
import { refuseUnderArchived } from '../commands/references.ts';
import { referredBy } from '../queries/written.ts';
import { type Item, judgeAll, refuseAny, writeAll, writerOfAll } from './many.ts';
import type { Service } from './service.ts';
import { envelope } from './write.ts';

export interface ArchiveInput {
  ids: readonly string[];
  organization_id?: string | undefined;
  action: 'ARCHIVE' | 'RESTORE';
  reason: string;
  idempotency_key?: string | undefined;
}

/** Archives or restores records one by one, after all have been judged, and says how many others point at each. */
export async function archiveRecords(service: Service, caller: Caller, input: ArchiveInput): Promise<object> {
  const { action, reason } = input;
  const ids = [...new Set(input.ids)];
  const { organizationId, role } = await writerOfAll(service, caller, ids, input.organization_id, 'ids', 'ADMIN');
  const whole = commandId([organizationId, 'archiveRecords'], input.idempotency_key);
  const command = { type: action === 'ARCHIVE' ? 'Archive' : 'Restore', reason };
  const by = envelope(caller, organizationId, role);
  const items: Item[] = ids.map((id) => ({
    aggregate: recordAggregate(id),
    command,
    envelope: {
      ...by,
      command_id: itemCommandId(whole, id),
      input: { id, action, reason },
      guard: () => refuseUnderArchived(service.handler, id),
    },
  }));
  refuseAny(await judgeAll(service, items), (index) => `ids.${input.ids.indexOf(ids[index]!)}`);
  const { outcomes, pending } = await writeAll(service, organizationId, items);
  const referred = await referredBy(service.reader, ids);
  const records = outcomes.map((outcome, index) => {
    const id = ids[index]!;
    const answer = { id, referred_by: referred.get(id) ?? 0 };
    if ('refused' in outcome) return { ...answer, archived_at: null, errors: [outcome.refused.toJSON()] };
    const { archived_at } = outcome.executed.state as { archived_at: string | null };
    return { ...answer, archived_at };
  });
  return { records, ...(pending ? { pending: true } : {}) };
}
