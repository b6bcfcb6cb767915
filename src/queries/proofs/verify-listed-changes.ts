import { invalidField } from '../../commands/engine/refusal.ts';
import { changeId } from '../../projections/history/change-document.ts';
import type { Condition } from '../../stores/read-store.ts';
import { changeConditions, changeKeysOf, periodBound } from '../changes/change-conditions.ts';
import type { ChangesInput } from '../changes/changes-input.ts';
import { readSignedCursor, writeSignedCursor } from '../lists/cursor.ts';
import { currentMoment, type QueryContext, requireCursorPosition } from '../moments/moment.ts';
import { type Verification, type VerifyContext, verifyChanges } from './verify-changes.ts';

/** Continues a verification: its first position, the newest position left, and whether a fault was found. */
type VerifyCursor = [newestPosition: number, next: number, isInvalid: boolean];

interface ListedChanges {
  where: readonly Condition[];
  /** The inputs to which cursors are bound. */
  boundTo: readonly unknown[];
}

export type ListVerification = Verification & { verify_cursor?: string };

/** Verifies all changes that match a list's filter, not only the page shown, as many as one call may read. */
export async function verifyListedChanges(
  context: VerifyContext,
  input: ChangesInput,
  { where, boundTo }: ListedChanges,
): Promise<ListVerification> {
  const { snapshot, organizationId, moment } = context;
  const { filter = {}, verify_cursor: cursor } = input;
  if (!input.verify) {
    throw invalidField('verify', 'verify_cursor continues a verification. Give verify: true with it.');
  }
  const { cursorKey } = snapshot;
  const verifyBoundTo = ['verify', ...boundTo];
  const newest = moment.position ?? snapshot.newestPosition(organizationId);
  const [newestPosition, to, isInvalid] =
    cursor === undefined
      ? await firstVerifyCursor(context, filter.to, newest)
      : readSignedCursor<VerifyCursor>(cursorKey, verifyBoundTo, cursor, 'verify_cursor');
  await requireCursorPosition(snapshot, organizationId, newestPosition, 'verify_cursor');
  const { verification, next } = await verifyChanges(context, {
    organizationId,
    where,
    recordIds: filter.record_id ?? null,
    recordKeys: filter.record_id === undefined ? null : new Set(changeKeysOf(filter.record_id)),
    from: await positionOf(context, 'from', filter.from, newestPosition),
    to,
    newestPosition,
    isInvalid,
  });
  if (next === null) return verification;
  const nextCursor: VerifyCursor = [newestPosition, next, verification.verdict === 'INVALID'];
  return { ...verification, verify_cursor: writeSignedCursor(cursorKey, verifyBoundTo, nextCursor) };
}

/**
 * Verifies all changes between two positions, for reports. To continue, listChanges takes the cursor with verify and the
 * same two positions as filter.from and filter.to.
 */
export async function verifyPeriod(
  context: VerifyContext,
  period: { from: string; to: string },
): Promise<ListVerification> {
  const { organizationId: organization_id, caller } = context;
  const input: ChangesInput = { organization_id, filter: period, size: 1, view: 'COUNT', verify: true };
  const currentContext = { ...context, moment: currentMoment(context.snapshot) };
  const where = await changeConditions(currentContext, caller, period);
  return verifyListedChanges(currentContext, input, { where, boundTo: listBinding(input) });
}

/** Returns the inputs to which the cursors of listChanges are bound. */
export function listBinding({ organization_id, filter, as_of }: ChangesInput): readonly unknown[] {
  return ['listChanges', organization_id, filter ?? {}, as_of ?? null];
}

async function firstVerifyCursor(context: QueryContext, to: string | undefined, newest: number): Promise<VerifyCursor> {
  const newestPosition = await positionOf(context, 'to', to, newest);
  return [newestPosition, newestPosition, false];
}

/** Returns the first or last position of a period. Without one, returns a position that makes the period empty. */
async function positionOf(
  context: QueryContext,
  field: 'from' | 'to',
  text: string | undefined,
  newest: number,
): Promise<number> {
  const { snapshot, organizationId } = context;
  const isFrom = field === 'from';
  if (text === undefined) return isFrom ? 1 : newest;
  const bound = await periodBound(context, field, text);
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
