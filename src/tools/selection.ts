import { createHash } from 'node:crypto';
import { MAX_UNSELECTED_RECORDS } from '../commands/autonomy.ts';
import type { CommandHandler, Rehearsal } from '../commands/engine/handler.ts';
import { invalidField, Refusal } from '../commands/engine/refusal.ts';
import { omit } from '../commands/record.ts';
import { readSignedCursor, writeSignedCursor } from '../queries/lists/cursor.ts';
import { type PinnedMoment, pinnedMoment } from '../queries/moments/moment.ts';
import type { ToolContext } from './tool.ts';

/*
 * A call that changes many records needs the selection of its dry run. That is a text with the position and day of the dry
 * run, and a hash of the records' ids and revisions: `[391, "2026-11-23", "pZ2v…"]`. A signature binds it to the account and
 * the input of the dry run: a person who has seen that one agrees to nothing else.
 *
 * A record that an interrupted call has written counts with its revision before that call. So the same selection, or the
 * same selection and key, also finishes the call.
 */

/** Inputs by which a call is confirmed, and its reason. All but those in `CONFIRMATION` must be those of the dry run. */
export interface SelectionInput {
  organization_id?: string | undefined;
  dry_run?: boolean | undefined;
  selection?: string | undefined;
  idempotency_key?: string | undefined;
  reason?: string | undefined;
}

/** A call that changes many records, or would as a dry run. */
export interface SelectedCall {
  context: ToolContext;
  organizationId: string;
  input: SelectionInput;
}

/** A record or a link with its revision before the call. */
export interface RevisedRecord {
  id: string;
  revision: number;
}

/** A record or a link that a call is about, as the rehearsal of its command found it. */
export interface RehearsedRecord extends RevisedRecord {
  /** 1 if the call changes, archives or unlinks it, or an earlier attempt did, else 0. Of a crosswalk the number of links. */
  changed: number;
  isRepeated: boolean;
}

/** Returns a record for a selection. @param changed see RehearsedRecord. By default 1 for a command with an effect */
export function toRehearsed(
  id: string,
  { revision, event_types, repeated }: Rehearsal,
  changed = Math.sign(event_types.length),
): RehearsedRecord {
  return { id, revision, changed, isRepeated: repeated };
}

/** Inputs that differ between the dry run and the write, or that the write may leave out. */
const CONFIRMATION = ['organization_id', 'dry_run', 'selection', 'idempotency_key'];

/** 132 bits, enough to make equal hashes of different records impossible in practice. */
const HASH_CHARACTERS = 22;

/** The service, tool and account of a call, from which its id follows. */
interface CallContext {
  service: { handler: Pick<CommandHandler, 'commandId'> };
  tool: { name: string };
  caller: { account_id: string };
}

/**
 * Returns the id of an account's call: that of its key, else that of its selection, else a new one. The commands of its
 * records are derived from it, so a repeat changes nothing twice. Two people may use one key, but their calls are two.
 */
export function callIdOf(
  { service: { handler }, tool, caller }: CallContext,
  organizationId: string,
  { idempotency_key, selection }: SelectionInput,
): string {
  const scope = [organizationId, tool.name, caller.account_id];
  if (idempotency_key !== undefined || selection === undefined) return handler.commandId(scope, idempotency_key);
  return handler.commandId([...scope, 'selection'], selection);
}

/** Returns a dry run's `selection`, and the `call_id` that the write with it will have. */
export async function selectionMembers(
  call: SelectedCall,
  records: readonly RevisedRecord[],
  moment?: PinnedMoment,
): Promise<{ selection: string; call_id: string }> {
  const { context, organizationId, input } = call;
  const snapshot = context.service.reader.snapshot();
  const { position, today } = moment ?? (await pinnedMoment(snapshot, organizationId, undefined));
  const selection = writeSignedCursor(snapshot.cursorKey, boundTo(call), [position, today, selectionHash(records)]);
  return { selection, call_id: callIdOf(context, organizationId, { ...input, selection }) };
}

/** Returns the moment of the dry run that answered the call's selection, and the hash of its records. @throws SelectionConflict */
export function readSelection(call: SelectedCall): { moment: PinnedMoment; hash: string } {
  const { cursorKey } = call.context.service.reader.snapshot();
  try {
    const value = readSignedCursor<[number, string, string]>(cursorKey, boundTo(call), call.input.selection!);
    const [position, today, hash] = value;
    return { moment: { position, today }, hash };
  } catch (error) {
    if (error instanceof Refusal) throw new SelectionConflict();
    throw error;
  }
}

/** Returns the account and the parts of a call that must be the same in the dry run and in the write. */
function boundTo({ context, organizationId, input }: SelectedCall): object {
  const bound = omit<object>(input, CONFIRMATION);
  return { tool: context.tool.name, organizationId, account: context.caller.account_id, ...bound };
}

/**
 * Refuses a call that changes more than five existing records without the selection of its dry run, and any whose selection
 * is not that of its records as they are.
 * @throws Refusal invalid_input
 * @throws SelectionConflict
 */
export function requireSelection(call: SelectedCall, records: readonly RehearsedRecord[]): void {
  requireReasonForMany(call, records);
  if (call.input.selection === undefined) {
    const count = countChanged(records);
    const isDone = records.every(({ changed, isRepeated }) => changed === 0 || isRepeated);
    if (count <= MAX_UNSELECTED_RECORDS || isDone) return;
    throw selectionRequired(`This call changes ${count} records. `);
  }
  if (readSelection(call).hash !== selectionHash(records)) throw new SelectionConflict();
}

/** Refuses a call, also as a dry run, that changes more than five existing records without a reason. @throws Refusal invalid_input */
export function requireReasonForMany({ input }: SelectedCall, records: readonly RehearsedRecord[]): void {
  const count = countChanged(records.filter(({ isRepeated }) => !isRepeated));
  if (count <= MAX_UNSELECTED_RECORDS || input.reason) return;
  throw invalidField('reason', `Give a reason: why the call changes ${count} records.`);
}

const countChanged = (records: readonly RehearsedRecord[]): number =>
  records.reduce((count, { changed }) => count + changed, 0);

/** Returns the refusal of a call without its dry run's selection. */
export function selectionRequired(why = ''): Refusal {
  const message = `${why}selection is required. Make the call with dry_run first, and repeat it with the selection of its answer.`;
  return invalidField('selection', message);
}

/** Returns a hash of the records' ids and revisions, in any order. */
export function selectionHash(records: readonly RevisedRecord[]): string {
  const revisions = records.map(({ id, revision }) => `${id} ${revision}`).sort();
  return createHash('sha256').update(revisions.join()).digest('base64url').slice(0, HASH_CHARACTERS);
}

/** The refusal of a write that isn't the call of its dry run, on the same records. The same call can't succeed later. */
export class SelectionConflict extends Refusal {
  constructor() {
    const message =
      'The call or its records differ from those of the dry run. Make the dry run again with this input, and write with its selection and a new idempotency_key.';
    super('conflict', message, { field: 'selection' });
  }

  override get retryable(): boolean {
    return false;
  }
}
