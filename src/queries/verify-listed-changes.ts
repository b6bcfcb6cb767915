import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import { changeId } from '../projections/changes.ts';
import type { Condition } from '../stores/read-store.ts';
import { changeConditions, changeKeysOf, periodBound } from './change-conditions.ts';
import type { ChangesInput } from './changes-input.ts';
import { readSignedCursor, writeSignedCursor } from './cursor.ts';
import type { Moment } from './moment.ts';
import type { Reader } from './reader.ts';
import { type Verification, type VerifyContext, verifyChanges } from './verify-changes.ts';

/** Where a verification goes on: the position it began with, the newest one that is left, and whether a fault was found. */
type VerifyCursor = [top: number, next: number, isInvalid: boolean];

/** The range that a list covers. */
interface ListedChanges {
  moment: Moment;
  where: readonly Condition[];
  /** The inputs that cursors hold for. */
  boundTo: readonly unknown[];
}

/** Verifies all changes that a list's filter finds, whatever page of them is shown, as far as one call goes. */
export async function verifyListedChanges(
  reader: Reader,
  caller: Caller,
  input: ChangesInput,
  { moment, where, boundTo }: ListedChanges,
  context: VerifyContext,
): Promise<Verification & { verify_cursor?: string }> {
  const { organization_id: organizationId, filter = {}, verify_cursor: cursor } = input;
  if (!input.verify) {
    throw new Refusal('invalid_input', 'verify_cursor goes on with a verification: give verify: true with it.', {
      field: 'verify',
    });
  }
  const bound = ['verify', ...boundTo];
  const place =
    cursor === undefined ? null : readSignedCursor<VerifyCursor>(reader.cursorKey, bound, cursor, 'verify_cursor');
  const newest = moment.position ?? reader.progress.checkpoint(organizationId)?.position ?? 0;
  const [top, to, isInvalid] = place ?? (await firstVerifyCursor(reader, organizationId, filter.to, newest));
  const from = await positionOf(reader, organizationId, 'from', filter.from, top);
  const recordIds = filter.record_id ?? null;
  const keys = recordIds && new Set(changeKeysOf(recordIds));
  const asked = { organizationId, where, recordIds, recordKeys: keys, from, to, top, isInvalid };
  const { verification, next } = await verifyChanges(reader, caller, asked, context);
  if (next === null) return verification;
  const goesOn: VerifyCursor = [top, next, verification.verdict === 'INVALID'];
  return { ...verification, verify_cursor: writeSignedCursor(reader.cursorKey, bound, goesOn) };
}

/**
 * Verifies all changes between two positions for who is shown them elsewhere. Its cursor goes on in listChanges, with
 * verify and the same two positions as the filter's from and to.
 */
export async function verifyPeriod(
  reader: Reader,
  caller: Caller,
  organization_id: string,
  period: { from: string; to: string },
  context: VerifyContext,
): Promise<Verification & { verify_cursor?: string }> {
  const moment: Moment = { today: '', position: null };
  const input: ChangesInput = { organization_id, filter: period, size: 1, view: 'COUNT', verify: true };
  const where = await changeConditions(reader, caller, input, moment);
  const boundTo = listBinding(input);
  return verifyListedChanges(reader, caller, input, { moment, where, boundTo }, context);
}

/** Returns the inputs that a list of changes' cursors hold for. */
export function listBinding({ organization_id, filter, as_of }: ChangesInput): readonly unknown[] {
  return ['listChanges', organization_id, filter ?? {}, as_of ?? null];
}

async function firstVerifyCursor(
  reader: Reader,
  organizationId: string,
  to: string | undefined,
  newest: number,
): Promise<VerifyCursor> {
  const top = await positionOf(reader, organizationId, 'to', to, newest);
  return [top, top, false];
}

/** The first or last position of a period; behind or before all others where there is none. */
async function positionOf(
  reader: Reader,
  organizationId: string,
  field: 'from' | 'to',
  text: string | undefined,
  newest: number,
): Promise<number> {
  const isFrom = field === 'from';
  if (text === undefined) return isFrom ? 1 : newest;
  const bound = await periodBound(reader, organizationId, field, text);
  if (bound.op === 'range' && bound.key === 'position') {
    return isFrom ? Math.max(1, Number(bound.gte)) : Math.min(newest, Number(bound.lte));
  }
  const last = { key: 'position', op: 'range', lte: newest } as const;
  const order = { key: 'position', direction: isFrom ? 'ASC' : 'DESC' } as const;
  const query = { collection: 'changes', organizationId, where: [bound, last], order, limit: 1 };
  const [found] = await reader.models.find(query);
  let position = found === undefined ? (isFrom ? newest + 1 : 0) : Number(found.key);
  // A time is no place, so a change that is hidden there could be of either side.
  const step = isFrom ? -1 : 1;
  const isThere = async (at: number) => (await reader.models.get('changes', [changeId(organizationId, at)])).length > 0;
  while (position + step >= 1 && position + step <= newest && !(await isThere(position + step))) position += step;
  return position;
}
