import { itemCommandId } from '../commands/engine/ids.ts';
import { refuseIfParentArchived } from '../commands/engine/references.ts';
import { familyOf, recordAggregate } from '../commands/families.ts';
import { recordChanges, writtenChanges } from '../queries/changes/written-changes.ts';
import { countReferences } from '../queries/records/record-links.ts';
import {
  type BulkItem,
  type ItemOutcome,
  rehearseAll,
  requireWriterOf,
  throwRefusals,
  writeAll,
} from './bulk-write.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor } from './write.ts';

export interface ArchiveRecordsInput {
  ids: readonly string[];
  organization_id?: string | undefined;
  action: 'ARCHIVE' | 'RESTORE';
  reason: string;
  idempotency_key?: string | undefined;
}

/**
 * Checks all records, then archives or restores them: child records first, each record in its own stream. The answer
 * has, for each record, the number of records that refer to it and are not archived.
 */
export async function archiveRecords(input: ArchiveRecordsInput, context: ToolContext): Promise<object> {
  const { service, caller, tool } = context;
  const { action, reason, organization_id } = input;
  const ids = [...new Set(input.ids)];
  const records = { ids, field: 'ids', organizationId: organization_id };
  const { organizationId, role } = await requireWriterOf(context, records);
  const callId = service.handler.commandId([organizationId, tool.name], input.idempotency_key);
  const command = { type: action === 'ARCHIVE' ? 'Archive' : 'Restore', reason };
  const sharedEnvelope = envelopeFor(caller, organizationId, role, context.tool.permission, callId);
  const toItem = (id: string): BulkItem => ({
    aggregate: recordAggregate(id),
    command,
    envelope: {
      ...sharedEnvelope,
      command_id: itemCommandId(callId, id),
      input: { id, action, reason },
      checkReferences: () => refuseIfParentArchived(service.handler, id),
    },
  });
  const items = ids.map(toItem);
  throwRefusals(await rehearseAll(context, items), (index) => `ids.${input.ids.indexOf(ids[index]!)}`);
  // Child records come first: once their parent is archived, they accept no writes.
  const isChild = (id: string) => familyOf(id).parent !== undefined;
  const batches = [ids.filter(isChild), ids.filter((id) => !isChild(id))];
  const outcomes = new Map<string, ItemOutcome>();
  let pending = false;
  for (const batch of batches) {
    const result = await writeAll(context, organizationId, batch.map(toItem));
    for (const [index, id] of batch.entries()) outcomes.set(id, result.outcomes[index]!);
    pending ||= result.pending;
  }
  const references = await countReferences(service.reader.snapshot(), ids);
  const answers = ids.map((id) => {
    const outcome = outcomes.get(id)!;
    const answer = { id, referred_by: references.get(id) ?? 0 };
    if ('refusal' in outcome) return { ...answer, archived_at: null, errors: [outcome.refusal.toJSON()] };
    const { archived_at } = outcome.result.state as { archived_at: string | null };
    return { ...answer, archived_at };
  });
  const changes = ids.map((id) => {
    const outcome = outcomes.get(id)!;
    return 'refusal' in outcome ? [] : recordChanges(id, outcome.result);
  });
  return { records: answers, call_id: callId, ...writtenChanges(changes), ...(pending ? { pending: true } : {}) };
}
