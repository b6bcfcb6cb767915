import { itemCommandId } from '../commands/engine/ids.ts';
import { refuseIfParentArchived } from '../commands/engine/references.ts';
import { recordAggregate } from '../commands/families.ts';
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
import { type SelectedOutcome, writeSelected } from './selected-write.ts';
import { callIdOf, type SelectionInput } from './selection.ts';
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
  return writeSelected({
    call: { context, organizationId, input },
    callId,
    items,
    rehearsals,
    write: writeChildrenFirst,
    answer: (outcomes) => answerRecords(context, ids, outcomes),
  });
}

/** Writes child records before the others: once their parent is archived, they accept no writes. */
async function writeChildrenFirst(...[context, organizationId, items]: Parameters<typeof writeAll>) {
  const isChild = ({ aggregate }: BulkItem) => aggregate.origin !== undefined;
  const outcomes = new Map<BulkItem, ItemOutcome>();
  let pending = false;
  for (const batch of [items.filter(isChild), items.filter((item) => !isChild(item))]) {
    const written = await writeAll(context, organizationId, batch);
    for (const [index, item] of batch.entries()) outcomes.set(item, written.outcomes[index]!);
    pending ||= written.pending;
  }
  return { outcomes: items.map((item) => outcomes.get(item)!), pending };
}

/** Returns each record with the number of records that refer to it now, and the changes. */
async function answerRecords(
  { service }: ToolContext,
  ids: readonly string[],
  outcomes: readonly SelectedOutcome[],
): Promise<object> {
  const references = await countReferences(service.reader.snapshot(), ids);
  const records = ids.map((id, index) => {
    const outcome = outcomes[index]!;
    const answer = { id, referred_by: references.get(id) ?? 0 };
    if ('refusal' in outcome) return { ...answer, archived_at: null, errors: [outcome.refusal.toJSON()] };
    const { archived_at } = outcome.result.state as { archived_at: string | null };
    return { ...answer, archived_at };
  });
  const changes = outcomes.map((outcome, index) =>
    'refusal' in outcome ? [] : recordChanges(ids[index]!, outcome.result),
  );
  return { records, ...writtenChanges(changes) };
}
