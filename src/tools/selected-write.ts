import type { Rehearsal } from '../commands/engine/handler.ts';
import { type BulkItem, type ResultOrRefusal, writeAll } from './bulk-write.ts';
import {
  requireReasonForMany,
  requireSelection,
  type SelectedCall,
  selectionMembers,
  toRehearsed,
} from './selection.ts';

/** The result of an item's command, or of its rehearsal. */
export type SelectedOutcome = ResultOrRefusal<{
  result: Pick<Rehearsal, 'event_types' | 'repeated' | 'before' | 'state'>;
}>;

/** Items that a call writes together, with their rehearsals. */
export interface SelectedWrite<Answer extends object> {
  call: SelectedCall;
  callId: string;
  items: readonly BulkItem[];
  rehearsals: readonly Rehearsal[];
  /** Returns the number of existing records or links that an item changes. By default 1 if it has an effect. */
  changedCount?(rehearsal: Rehearsal, index: number): number;
  /** Writes the items and returns their outcomes in the same order. By default all at once. */
  write?: typeof writeAll;
  /** Returns the members of the answer that follow from each item's outcome. */
  answer(outcomes: readonly SelectedOutcome[]): Answer | Promise<Answer>;
}

/**
 * Answers what the items would change, in a dry run. Otherwise writes them, if the call may: many changes need the selection
 * of the dry run, and a selected item must have the revision that it had then.
 * @throws Refusal invalid_input without a selection or reason where one is needed
 * @throws SelectionConflict
 */
export async function writeSelected<Answer extends object>({
  call,
  callId,
  items,
  rehearsals,
  changedCount,
  write = writeAll,
  answer,
}: SelectedWrite<Answer>): Promise<Answer & { call_id: string; selection?: string; pending?: true }> {
  const records = rehearsals.map((one, index) =>
    toRehearsed(items[index]!.aggregate.stream, one, changedCount?.(one, index)),
  );
  if (call.input.dry_run) {
    requireReasonForMany(call, records);
    const wouldBe = await answer(rehearsals.map((result) => ({ result })));
    return { ...wouldBe, ...(await selectionMembers(call, records)) };
  }
  requireSelection(call, records);
  const { outcomes, pending } = await write(
    call.context,
    call.organizationId,
    atSelectedRevisions(call, items, records),
  );
  return { ...(await answer(outcomes)), call_id: callId, ...(pending ? { pending: true as const } : {}) };
}

/** Returns commands that are refused on records that others change meanwhile, if the call has a selection. */
function atSelectedRevisions(
  { input }: SelectedCall,
  items: readonly BulkItem[],
  records: readonly { revision: number }[],
): BulkItem[] {
  if (input.selection === undefined) return [...items];
  return items.map((item, index) => ({
    ...item,
    envelope: { ...item.envelope, expected_revision: records[index]!.revision },
  }));
}
