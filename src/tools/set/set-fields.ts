import { itemCommandId } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { recordAggregate } from '../../commands/families.ts';
import { type ImportAnswer, importAnswer, refusedRows } from '../../import/import-answer.ts';
import { type CommandRow, isRefused, type Rehearsed } from '../../import/import-row.ts';
import { openRowCall, type RowCall, rehearseRows, writeRows } from '../../import/row-commands.ts';
import { resolveOwnerFilter } from '../../queries/lists/owner-filter.ts';
import { type PinnedMoment, pinnedMoment } from '../../queries/moments/moment.ts';
import { isIncomplete, type Snapshot } from '../../queries/moments/snapshot.ts';
import { mapConcurrently } from '../bulk-write.ts';
import { recordNamesFor } from '../record-names.ts';
import {
  type RehearsedRecord,
  readSelection,
  requireReasonForMany,
  type SelectedCall,
  SelectionConflict,
  selectionHash,
  selectionMembers,
  selectionRequired,
  toRehearsed,
} from '../selection.ts';
import type { ToolContext } from '../tool.ts';
import { type RecordSelection, type SelectedRecord, type SelectionSource, selectRecords } from './select-records.ts';
import { type FamilyChange, readSetInput, type SetInput, withIdsInSet } from './set-input.ts';

const ADVICE = 'Change set, or leave out the records that have errors, and make the dry run again.';

/**
 * Sets fields on the records that the input names by ids or matches by a filter. A dry run answers what would change, and
 * the `selection` that the write must have. An interrupted write is finished by repeating it.
 * @throws Refusal conflict if a record was changed after the dry run, or another one matches by now
 * @throws Refusal invalid_input if a record would refuse its command. Nothing is written then.
 */
export async function setFields(context: ToolContext, given: SetInput): Promise<ImportAnswer> {
  const call = openRowCall(context, given);
  const { organizationId } = call;
  const names = recordNamesFor(context, organizationId, { scope: 'LIVE', input: given });
  const input = await withIdsInSet(names, given);
  const selected = { context, organizationId, input };
  const snapshot = context.service.reader.snapshot();
  const changes = await resolveOwners(snapshot, call, input);
  const source = { snapshot, organizationId, caller: context.caller, changes };
  const now = await pinnedMoment(snapshot, organizationId, undefined);
  if (input.dry_run) return dryRun(call, selected, await selectRecords(source, now), input);
  const { records, remaining, isBegun } = await confirmSelection(call, selected, source, now);
  const judged = await rehearseRows(call, toRows(records));
  requireReasonForMany(selected, rehearsedRows(judged));
  // A repeated write finishes what the first attempt began. Errors are then on their rows.
  if (!isBegun && judged.some(isRefused)) throw refusedRows(judged, 'set', ADVICE);
  const { rows, pending } = await writeRows(call, judged);
  const notes = { ...remainingMember(remaining), ...(pending ? { pending: true as const } : {}) };
  return { ...importAnswer(rows, 'WRITTEN', call.callId), ...notes };
}

/** Returns the changes with accounts' ids in place of names in their filters. */
function resolveOwners(
  snapshot: Snapshot,
  { context, organizationId }: RowCall,
  input: SetInput,
): Promise<FamilyChange[]> {
  return mapConcurrently(readSetInput(input), async (change) => {
    const filter = await resolveOwnerFilter(snapshot, context.caller, organizationId, change.filter);
    return { ...change, filter };
  });
}

async function dryRun(
  call: RowCall,
  selected: SelectedCall,
  { records, moment, remaining }: RecordSelection,
  { ids }: SetInput,
): Promise<ImportAnswer> {
  if (ids !== undefined) refuseUnknownIds(ids, records);
  const rows = await rehearseRows(call, toRows(records));
  const snapshot = selected.context.service.reader.snapshot();
  const notes = isIncomplete(snapshot, call.organizationId) ? { incomplete: true as const } : {};
  requireReasonForMany(selected, rehearsedRows(rows));
  const members = await selectionMembers(selected, records, moment);
  return { ...importAnswer(rows, 'DRY_RUN', call.callId), ...remainingMember(remaining), ...members, ...notes };
}

function rehearsedRows(rows: readonly Rehearsed[]): RehearsedRecord[] {
  return rows.flatMap((row) =>
    isRefused(row) || row.rehearsal === undefined ? [] : [toRehearsed(row.row.id!, row.rehearsal)],
  );
}

const remainingMember = (remaining: number) => (remaining === 0 ? {} : { remaining });

/** @throws Refusal not_found with an issue for each unknown id */
function refuseUnknownIds(ids: readonly string[], records: readonly SelectedRecord[]): void {
  const known = new Set(records.map(({ id }) => id));
  const issues = ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ field: `ids.${index}`, message: `There is no ${id} here. List the records to find the id.` }],
  );
  const [first] = issues;
  if (first !== undefined) throw new Refusal('not_found', first.message, { field: 'ids', issues });
}

function toRows(records: readonly SelectedRecord[]): { row: CommandRow }[] {
  return records.map(({ type, id, name, revision, set }, row) => {
    const target = { type, id, name, isUpdate: true, expectedRevision: revision };
    return { row: { row, ...target, fields: set, given: set, source: null } };
  });
}

/**
 * Returns the records of the dry run, if they are still the same. Once an attempt of the same call has written the first
 * of them, the selection was confirmed then, and isn't compared again.
 * @throws Refusal conflict if they differ
 */
async function confirmSelection(
  call: RowCall,
  selected: SelectedCall,
  source: SelectionSource,
  now: PinnedMoment,
): Promise<Omit<RecordSelection, 'moment'> & { isBegun: boolean }> {
  if (selected.input.selection === undefined) throw selectionRequired();
  const selection = readSelection(selected);
  if (selection.moment.position > now.position) throw new SelectionConflict();
  const { records, remaining } = await selectRecords(source, selection.moment);
  if (selectionHash(records) !== selection.hash) throw new SelectionConflict();
  const isBegun = await hasBegun(call, records);
  // The read models at `now` contain every write before this call. A later one is found by the expected revision.
  if (!isBegun && selectionHash((await selectRecords(source, now)).records) !== selectionHash(records)) {
    throw new SelectionConflict();
  }
  return { records, remaining, isBegun };
}

/** Returns true if an earlier attempt with the same idempotency_key or selection has written at least one of these records. */
async function hasBegun({ context, commandId }: RowCall, records: readonly SelectedRecord[]): Promise<boolean> {
  const isWritten = async ({ id }: SelectedRecord) => {
    const { commands } = await context.service.handler.load(recordAggregate(id), true);
    return commands.has(itemCommandId(commandId, id));
  };
  const written = await mapConcurrently(records, isWritten, context);
  return written.includes(true);
}
