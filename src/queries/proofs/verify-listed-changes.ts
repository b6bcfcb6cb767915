import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { changeId } from '../../projections/history/change-document.ts';
import type { Condition } from '../../stores/read-store.ts';
import { changeConditions, changeKeysOf, periodBound } from '../changes/change-conditions.ts';
import type { ChangesInput } from '../changes/changes-input.ts';
import { readSignedCursor, writeSignedCursor } from '../lists/cursor.ts';
import type { Moment } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { type Verification, type VerifyContext, verifyChanges } from './verify-changes.ts';

/** Continues a verification: its first position, the newest position left, and whether a fault was found. */
type VerifyCursor = [top: number, next: number, isInvalid: boolean];

/** A list's moment and conditions. */
interface ListedChanges {
  moment: Moment;
  where: readonly Condition[];
  /** The inputs to which cursors are bound. */
  boundTo: readonly unknown[];
}

/** Verifies all changes that match a list's filter, not only the page shown, as many as one call may read. */
export async function verifyListedChanges(
  snapshot: Snapshot,
  caller: Caller,
  input: ChangesInput,
  { moment, where, boundTo }: ListedChanges,
  context: VerifyContext,
): Promise<Verification & { verify_cursor?: string }> {
  const { organization_id: organizationId, filter = {}, verify_cursor: cursor } = input;
  if (!input.verify) {
    throw new Refusal('invalid_input', 'verify_cursor continues a verification. Give verify: true with it.', {
      field: 'verify',
    });
  }
  const verifyBoundTo = ['verify', ...boundTo];
  const verifyCursor =
    cursor === undefined
      ? null
      : readSignedCursor<VerifyCursor>(snapshot.cursorKey, verifyBoundTo, cursor, 'verify_cursor');
  const newest = moment.position ?? snapshot.progress.checkpoint(organizationId)?.position ?? 0;
  const [top, to, isInvalid] = verifyCursor ?? (await firstVerifyCursor(snapshot, organizationId, filter.to, newest));
  const from = await positionOf(snapshot, organizationId, 'from', filter.from, top);
  const recordIds = filter.record_id ?? null;
  const keys = recordIds && new Set(changeKeysOf(recordIds));
  const request = { organizationId, where, recordIds, recordKeys: keys, from, to, top, isInvalid };
  const { verification, next } = await verifyChanges(snapshot, caller, request, context);
  if (next === null) return verification;
  const nextCursor: VerifyCursor = [top, next, verification.verdict === 'INVALID'];
  return { ...verification, verify_cursor: writeSignedCursor(snapshot.cursorKey, verifyBoundTo, nextCursor) };
}

/**
 * Verifies all changes between two positions, for reports. To continue, listChanges takes the cursor with verify and the
 * same two positions as filter.from and filter.to.
 */
export async function verifyPeriod(
  snapshot: Snapshot,
  caller: Caller,
  organization_id: string,
  period: { from: string; to: string },
  context: VerifyContext,
): Promise<Verification & { verify_cursor?: string }> {
  const moment: Moment = { today: '', position: null };
  const input: ChangesInput = { organization_id, filter: period, size: 1, view: 'COUNT', verify: true };
  const where = await changeConditions(snapshot, caller, input, moment);
  const boundTo = listBinding(input);
  return verifyListedChanges(snapshot, caller, input, { moment, where, boundTo }, context);
}

/** Returns the inputs to which the cursors of listChanges are bound. */
export function listBinding({ organization_id, filter, as_of }: ChangesInput): readonly unknown[] {
  return ['listChanges', organization_id, filter ?? {}, as_of ?? null];
}

async function firstVerifyCursor(
  snapshot: Snapshot,
  organizationId: string,
  to: string | undefined,
  newest: number,
): Promise<VerifyCursor> {
  const top = await positionOf(snapshot, organizationId, 'to', to, newest);
  return [top, top, false];
}

/** Returns the first or last position of a period. Without one, returns a position that makes the period empty. */
async function positionOf(
  snapshot: Snapshot,
  organizationId: string,
  field: 'from' | 'to',
  text: string | undefined,
  newest: number,
): Promise<number> {
  const isFrom = field === 'from';
  if (text === undefined) return isFrom ? 1 : newest;
  const bound = await periodBound(snapshot, organizationId, field, text);
  if (bound.op === 'range' && bound.key === 'position') {
    return isFrom ? Math.max(1, Number(bound.gte)) : Math.min(newest, Number(bound.lte));
  }
  const last = { key: 'position', op: 'range', lte: newest } as const;
  const order = { key: 'position', direction: isFrom ? 'ASC' : 'DESC' } as const;
  const query = { collection: 'changes', organizationId, where: [bound, last], order, limit: 1 };
  const [row] = await snapshot.models.find(query);
  let position = row === undefined ? (isFrom ? newest + 1 : 0) : Number(row.key);
  // A hidden change next to the bound could belong to the period, so the period is extended over missing positions.
  const step = isFrom ? -1 : 1;
  const exists = async (at: number) =>
    (await snapshot.models.get('changes', [changeId(organizationId, at)])).length > 0;
  while (position + step >= 1 && position + step <= newest && !(await exists(position + step))) position += step;
  return position;
}
