import type { CommandEnvelope, Rehearsal } from '../commands/engine/handler.ts';
import { itemCommandId } from '../commands/engine/ids.ts';
import { importCommandId } from '../commands/engine/import-ids.ts';
import { type ReferenceReader, readOncePerCall, referenceChecks } from '../commands/engine/references.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { FAMILIES, recordAggregate } from '../commands/families.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { recordChanges } from '../queries/changes/written-changes.ts';
import { type BulkItem, catchRefusal, mapConcurrently, writeAll } from '../tools/bulk-write.ts';
import { callIdOf } from '../tools/selection.ts';
import type { WriteContext } from '../tools/tool.ts';
import { envelopeFor, findOrganizationOf, OwnerNames, resolveMe } from '../tools/write.ts';
import { type Accepted, type CommandRow, isRefused, type Rehearsed } from './import-row.ts';
import { type RowReader, toRowErrors } from './import-rows.ts';

/* Turns rows into commands on their records, rehearses them and executes them. */

/** The inputs that apply to all rows of a call. */
export interface RowCallInput {
  organization_id: string;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
  /** From the answer of the dry run. */
  selection?: string | undefined;
  /** The call that this one is a part of. By default a call of its own. */
  call_id?: string | undefined;
}

/** One call, with the values that the commands of all its rows share. */
export interface RowCall {
  context: WriteContext;
  organizationId: string;
  reason: string | undefined;
  /** The id from which each row's command id is derived. */
  commandId: string;
  callId: string;
  owners: OwnerNames;
  references: ReferenceReader;
  envelope: Omit<CommandEnvelope, 'command_id' | 'input'>;
}

/** One import, with the values that all its rows share. */
export interface ImportCall extends RowCall {
  reader: RowReader;
  /** The organization's secret key, from which the ids of new records are derived. */
  importKey: string;
}

/** Opens a call for its organization. @throws Refusal if the caller may not write there */
export function openRowCall(
  context: WriteContext,
  { organization_id: organizationId, reason, call_id, ...input }: RowCallInput,
): RowCall {
  const { caller, tool } = context;
  const role = requirePermission(caller, organizationId, tool.permission);
  const owners = new OwnerNames(context, organizationId);
  const commandId = callIdOf(context, organizationId, input);
  const callId = call_id ?? commandId;
  return {
    context,
    organizationId,
    reason,
    commandId,
    callId,
    owners,
    references: readOncePerCall(context.service.handler),
    envelope: {
      ...envelopeFor(caller, organizationId, role, context.tool.permission, callId),
      resolveNames: (command) => owners.resolve(command),
    },
  };
}

/** Rehearses the command of each row that has no errors yet. */
export function rehearseRows<Row extends CommandRow>(
  call: RowCall,
  rows: readonly ({ readonly row: Row } | Rehearsed<Row>)[],
): Promise<Rehearsed<Row>[]> {
  return mapConcurrently(
    rows,
    async (read) => (isRefused(read) ? read : await rehearseRow(call, read.row)),
    call.context,
  );
}

/** Rehearses a row's command. @throws Refusal idempotency_conflict for an update: it refuses the whole call */
export async function rehearseRow<Row extends CommandRow>(call: RowCall, row: Row): Promise<Rehearsed<Row>> {
  const { handler } = call.context.service;
  const rehearsal = await catchRefusal(async () => {
    const item = await commandForRow(call, row);
    const result = await handler.rehearse(item.aggregate, item.command, item.envelope);
    const envelope: CommandEnvelope = { ...item.envelope, isPresumedNew: result.isNewRecord };
    const ownerId = result.repeated ? undefined : await call.owners.idOf(row.fields.owner_id);
    const changes = recordChanges(row.id!, result);
    return { row, result: resultOf(row, result), changes, item: { ...item, envelope }, rehearsal: result, ownerId };
  });
  return 'refusal' in rehearsal ? afterRefusal(row, rehearsal.refusal) : rehearsal;
}

/** Executes the commands of accepted rows, and returns all rows with their results. */
export async function writeRows<Row extends CommandRow>(
  { context, organizationId }: RowCall,
  judged: readonly Rehearsed<Row>[],
): Promise<{ rows: Rehearsed<Row>[]; pending: boolean }> {
  const accepted = judged.filter(
    (row): row is Accepted<Row> & { item: BulkItem } => !isRefused(row) && row.item !== null,
  );
  const { outcomes, pending } = await writeAll(
    context,
    organizationId,
    accepted.map(({ item }) => item),
    (count) => context.progress?.(count, accepted.length, `${count} of ${accepted.length} rows written`),
  );
  const written = new Map<Rehearsed<Row>, Rehearsed<Row>>(
    accepted.map((row, index) => {
      const outcome = outcomes[index]!;
      const done =
        'refusal' in outcome
          ? afterRefusal(row.row, outcome.refusal)
          : { ...row, result: resultOf(row.row, outcome.result), changes: recordChanges(row.row.id!, outcome.result) };
      return [row, done];
    }),
  );
  return { rows: judged.map((row) => written.get(row) ?? row), pending };
}

/** Returns the command that a row stands for. A repeated add is recognised without its reason. */
async function commandForRow(call: RowCall, { id, isUpdate, ...row }: CommandRow): Promise<BulkItem> {
  const { fields, given, source, expectedRevision, isPresumedNew = false } = row;
  const { context, organizationId, reason } = call;
  const { caller } = context;
  const { type, commands } = FAMILIES[row.type];
  const aggregate = recordAggregate(id!);
  if (isUpdate) {
    // Each change from a file names its row, if the person gave no reason.
    const updateReason = reason ?? source;
    await findOrganizationOf(context, id!, organizationId);
    const update = { type: commands.update!, changes: fields, ...(updateReason ? { reason: updateReason } : {}) };
    const command = resolveMe(caller, update);
    const checkReferences = referenceChecks(call.references, organizationId, id!);
    const envelope: CommandEnvelope = {
      command_id: itemCommandId(call.commandId, id!),
      input: command,
      checkReferences,
      ...call.envelope,
      ...(expectedRevision === undefined ? {} : { expected_revision: expectedRevision }),
    };
    return { aggregate, command, envelope };
  }
  const add = { type: commands.add, fields, origin: { name_id: null, source }, ...(reason ? { reason } : {}) };
  const command = resolveMe(caller, add);
  const checkReferences = referenceChecks(call.references, organizationId, id!);
  return {
    aggregate,
    command,
    envelope: {
      ...call.envelope,
      command_id: importCommandId(id!),
      input: { type, fields: given },
      checkReferences,
      isPresumedNew,
    },
  };
}

/** Tells in a row's error that another row was imported under its reference_id. */
export const IMPORTED_BEFORE = 'was imported before with other content';

function resultOf(
  { isUpdate }: CommandRow,
  { repeated, event_types }: Pick<Rehearsal, 'event_types' | 'repeated'>,
): Accepted['result'] {
  if (repeated || event_types.length === 0) return 'UNCHANGED';
  return isUpdate ? 'UPDATED' : 'CREATED';
}

/** @throws Refusal idempotency_conflict for an update: it refuses the whole call */
function afterRefusal<Row extends CommandRow>(row: Row, refusal: Refusal): Rehearsed<Row> {
  if (refusal.code !== 'idempotency_conflict') return { row, errors: toRowErrors(refusal) };
  // The cells are the same, so only their reading differs.
  if (row.id === row.rowId) return { row, result: 'UNCHANGED', changes: [], item: null };
  if (row.isUpdate) {
    throw new Refusal(refusal.code, refusal.message, { field: 'idempotency_key', hint: `It is row ${row.row}.` });
  }
  const message = `${row.fields.reference_id} ${IMPORTED_BEFORE}. Give the id of its record, ${row.id}, to change it.`;
  return { row, errors: [{ field: 'reference_id', message }] };
}
