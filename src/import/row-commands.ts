import type { CommandEnvelope, Rehearsal } from '../commands/engine/handler.ts';
import { itemCommandId } from '../commands/engine/ids.ts';
import { importCommandId } from '../commands/engine/import-ids.ts';
import { type ReferenceReader, readOncePerCall, referenceChecks } from '../commands/engine/references.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { FAMILIES, recordAggregate } from '../commands/families.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { type BulkItem, catchRefusal, mapConcurrently, writeAll } from '../tools/bulk-write.ts';
import { OwnerNames, resolveMe } from '../tools/command-accounts.ts';
import type { WriteContext } from '../tools/tool.ts';
import { envelopeFor, findOrganizationOf } from '../tools/write.ts';
import type { CommandRow } from './import-answer.ts';
import { toRowErrors } from './import-rows.ts';

/* Turns rows into commands on their records, rehearses them and executes them. */

/** The inputs that apply to all rows of a call. */
export interface RowCallInput {
  organization_id: string;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
}

/** One call, with the values that the commands of all its rows share. */
export interface RowCall {
  context: WriteContext;
  organizationId: string;
  reason: string | undefined;
  /** The id of the whole call, from which each row's command id is derived. */
  commandId: string;
  owners: OwnerNames;
  references: ReferenceReader;
  envelope: Omit<CommandEnvelope, 'command_id' | 'input'>;
}

/** Opens a call for its organization. @throws Refusal if the caller may not write there */
export function openRowCall(
  context: WriteContext,
  { organization_id: organizationId, idempotency_key, reason }: RowCallInput,
): RowCall {
  const { caller, tool } = context;
  const role = requirePermission(caller, organizationId, tool.permission);
  const owners = new OwnerNames(context, organizationId);
  return {
    context,
    organizationId,
    reason,
    commandId: context.service.handler.commandId([organizationId, tool.name], idempotency_key),
    owners,
    references: readOncePerCall(context.service.handler),
    envelope: {
      ...envelopeFor(caller, organizationId, role, context.tool.permission),
      resolveNames: (command) => owners.resolve(command),
    },
  };
}

/** The result of a row's command, or of its rehearsal. */
type RowOutcome = { result: Pick<Rehearsal, 'event_types' | 'repeated'> } | { refusal: Refusal };

/** A row and its command, which was not refused when it was rehearsed. */
export interface AcceptedRow<Row extends CommandRow = CommandRow> {
  row: Row;
  item: BulkItem;
}

/** Rehearses the rows' commands, and sets the rows' results or errors. Returns those that can be written. */
export async function rehearseRows<Row extends CommandRow>(
  call: RowCall,
  rows: readonly Row[],
): Promise<AcceptedRow<Row>[]> {
  const items = await mapConcurrently(rows, (row) => rehearseRow(call, row), call.context.signal);
  return rows.flatMap((row, index) => (items[index] ? [{ row, item: items[index] }] : []));
}

/** Rehearses a row's command and returns it; null if it is refused. Sets the row's result or errors. */
export async function rehearseRow(call: RowCall, row: CommandRow): Promise<BulkItem | null> {
  const { handler } = call.context.service;
  const rehearsal = await catchRefusal(async () => {
    const item = await commandForRow(call, row);
    const result = await handler.rehearse(item.aggregate, item.command, item.envelope);
    const envelope: CommandEnvelope = { ...item.envelope, isPresumedNew: result.isNewRecord };
    if (!result.repeated) row.ownerId = await call.owners.idOf(row.fields.owner_id);
    return { result, item: { ...item, envelope } };
  });
  applyOutcome(row, rehearsal);
  return 'item' in rehearsal ? rehearsal.item : null;
}

/** Executes rows' commands, and sets the rows' results or errors. Returns true if not all of it can be read yet. */
export async function writeRows(
  { context, organizationId }: RowCall,
  accepted: readonly AcceptedRow[],
): Promise<boolean> {
  const total = accepted.length;
  const items = accepted.map(({ item }) => item);
  const { outcomes, pending } = await writeAll(context, organizationId, items, (count) =>
    context.progress?.(count, total, `${count} of ${total} rows written`),
  );
  for (const [index, { row }] of accepted.entries()) applyOutcome(row, outcomes[index]!);
  return pending;
}

/** Returns the command that a row stands for. A repeated add is recognised without its reason. */
async function commandForRow(call: RowCall, { id, isUpdate, ...row }: CommandRow): Promise<BulkItem> {
  const { fields, given, source, expectedRevision, isPresumedNew = false } = row;
  const { context, organizationId, reason } = call;
  const { caller } = context;
  const { type, commands } = FAMILIES[row.type];
  const aggregate = recordAggregate(id!);
  const withReason = reason ? { reason } : {};
  if (isUpdate) {
    await findOrganizationOf(context, id!, organizationId);
    const update = { type: commands.update!, changes: fields, ...withReason };
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
  const add = { type: commands.add, fields, origin: { name_id: null, source }, ...withReason };
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

/** Sets a row's result or errors. @throws Refusal idempotency_conflict for an update: it refuses the whole call */
function applyOutcome(row: CommandRow, outcome: RowOutcome): void {
  if ('result' in outcome) {
    const { event_types, repeated } = outcome.result;
    row.result = repeated || event_types.length === 0 ? 'UNCHANGED' : row.isUpdate ? 'UPDATED' : 'CREATED';
    return;
  }
  const { refusal } = outcome;
  delete row.result;
  if (refusal.code !== 'idempotency_conflict') {
    row.errors = toRowErrors(refusal);
  } else if (row.id === row.rowId) {
    // The cells are the same, so only their reading differs.
    row.result = 'UNCHANGED';
    row.isReadDifferently = true;
  } else if (row.isUpdate) {
    throw new Refusal(refusal.code, refusal.message, { field: 'idempotency_key', hint: `It is row ${row.row}.` });
  } else {
    const message = `${row.fields.reference_id} ${IMPORTED_BEFORE}. Give the id of its record, ${row.id}, to change it.`;
    row.errors = [{ field: 'reference_id', message }];
  }
}
