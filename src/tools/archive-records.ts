import type { Rehearsal } from '../commands/engine/handler.ts';
import { itemCommandId } from '../commands/engine/ids.ts';
import { refuseIfParentArchived } from '../commands/engine/references.ts';
import { familyOf, recordAggregate } from '../commands/families.ts';
import { recordChanges, writtenChanges } from '../queries/changes/written-changes.ts';
import { countReferences } from '../queries/records/record-links.ts';
import {
  type BulkItem,
  type ResultOrRefusal,
  rehearseAll,
  requireWriterOf,
  throwRefusals,
  writeAll,
} from './bulk-write.ts';
import {
  atSelectedRevisions,
  callIdOf,
  requireSelection,
  type SelectionInput,
  selectionMembers,
  toRehearsed,
} from './selection.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor } from './write.ts';

export interface ArchiveRecordsInput extends SelectionInput {
  ids: readonly string[];
  action: 'ARCHIVE' | 'RESTORE';
  reason: string;
}

/**
 * Checks all records, then archives or restores them: child records first, each record in its own stream. The answer
 * has, for each record, the number of records that refer to it and are not archived.
 */
export async function archiveRecords(input: ArchiveRecordsInput, context: ToolContext): Promise<object> {
  const { service, caller } = context;
  const { action, reason, organization_id } = input;
  const ids = [...new Set(input.ids)];
  const records = { ids, field: 'ids', organizationId: organization_id };
  const { organizationId, role } = await requireWriterOf(context, records);
  const callId = callIdOf(context, organizationId, input);
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
  const rehearsals = throwRefusals(
    await rehearseAll(context, items),
    (index) => `ids.${input.ids.indexOf(ids[index]!)}`,
  );
  const call = { context, organizationId, input };
  const rehearsed = ids.map((id, index) => toRehearsed(id, rehearsals[index]!));
  if (input.dry_run) {
    const answer = await answerRecords(context, new Map(ids.map((id, index) => [id, { result: rehearsals[index]! }])));
    return { ...answer, ...(await selectionMembers(call, rehearsed)) };
  }
  requireSelection(call, rehearsed);
  const selectedItems = new Map(atSelectedRevisions(call, items, rehearsed).map((item, index) => [ids[index]!, item]));
  // Child records come first: once their parent is archived, they accept no writes.
  const isChild = (id: string) => familyOf(id).parent !== undefined;
  const batches = [ids.filter(isChild), ids.filter((id) => !isChild(id))];
  const outcomes = new Map<string, ArchiveOutcome>();
  let pending = false;
  for (const batch of batches) {
    const result = await writeAll(
      context,
      organizationId,
      batch.map((id) => selectedItems.get(id)!),
    );
    for (const [index, id] of batch.entries()) outcomes.set(id, result.outcomes[index]!);
    pending ||= result.pending;
  }
  const ordered = new Map(ids.map((id) => [id, outcomes.get(id)!]));
  const answer = await answerRecords(context, ordered);
  return { ...answer, call_id: callId, ...(pending ? { pending: true } : {}) };
}

/** The result of archiving or restoring a record, or of its rehearsal. */
type ArchiveOutcome = ResultOrRefusal<{ result: Pick<Rehearsal, 'before' | 'state'> }>;

/** Returns each record with the number of records that refer to it now, and the changes. */
async function answerRecords({ service }: ToolContext, outcomes: ReadonlyMap<string, ArchiveOutcome>) {
  const references = await countReferences(service.reader.snapshot(), [...outcomes.keys()]);
  const records = [...outcomes].map(([id, outcome]) => {
    const answer = { id, referred_by: references.get(id) ?? 0 };
    if ('refusal' in outcome) return { ...answer, archived_at: null, errors: [outcome.refusal.toJSON()] };
    const { archived_at } = outcome.result.state as { archived_at: string | null };
    return { ...answer, archived_at };
  });
  const changes = [...outcomes].map(([id, outcome]) => ('refusal' in outcome ? [] : recordChanges(id, outcome.result)));
  return { records, ...writtenChanges(changes) };
}
