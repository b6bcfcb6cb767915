import type { Caller } from '../commands/caller.ts';
import { familyOf, recordAggregate } from '../commands/families.ts';
import { commandId, itemCommandId } from '../commands/ids.ts';
import { refuseUnderArchived } from '../commands/references.ts';
import { referredBy } from '../queries/written.ts';
import { type Item, judgeAll, type Outcome, refuseAny, writeAll, writerOfAll } from './many.ts';
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
export async function archiveRecords(
  service: Service,
  caller: Caller,
  input: ArchiveInput,
  signal?: AbortSignal,
): Promise<object> {
  const { action, reason } = input;
  const ids = [...new Set(input.ids)];
  const { organizationId, role } = await writerOfAll(
    service,
    caller,
    ids,
    input.organization_id,
    'ids',
    'archiveRecords',
  );
  const whole = commandId([organizationId, 'archiveRecords'], input.idempotency_key);
  const command = { type: action === 'ARCHIVE' ? 'Archive' : 'Restore', reason };
  const by = envelope(caller, organizationId, role);
  const item = (id: string): Item => ({
    aggregate: recordAggregate(id),
    command,
    envelope: {
      ...by,
      command_id: itemCommandId(whole, id),
      input: { id, action, reason },
      guard: () => refuseUnderArchived(service.handler, id),
    },
  });
  const items = ids.map(item);
  refuseAny(await judgeAll(service, items, signal), (index) => `ids.${input.ids.indexOf(ids[index]!)}`);
  // What belongs to another record first: once that is archived it would take no write of its own.
  const belongs = (id: string) => familyOf(id).parent !== undefined;
  const turns = [ids.filter(belongs), ids.filter((id) => !belongs(id))];
  const outcomes = new Map<string, Outcome>();
  let pending = false;
  for (const turn of turns) {
    const written = await writeAll(service, organizationId, turn.map(item), { signal });
    for (const [index, id] of turn.entries()) outcomes.set(id, written.outcomes[index]!);
    pending ||= written.pending;
  }
  const referred = await referredBy(service.reader, ids);
  const records = ids.map((id) => {
    const outcome = outcomes.get(id)!;
    const answer = { id, referred_by: referred.get(id) ?? 0 };
    if ('refused' in outcome) return { ...answer, archived_at: null, errors: [outcome.refused.toJSON()] };
    const { archived_at } = outcome.executed.state as { archived_at: string | null };
    return { ...answer, archived_at };
  });
  return { records, ...(pending ? { pending: true } : {}) };
}
