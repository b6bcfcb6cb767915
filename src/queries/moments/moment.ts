import { dateOf, endOfDay } from '../../commands/engine/dates.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { CHANGES, changeId } from '../../projections/history/change-document.ts';
import type { Condition } from '../../stores/read-store.ts';
import { notCaughtUp, READ_WAIT_MS, type Snapshot } from './snapshot.ts';

/** The state a read is about: as it is now, or after a position of the organization's log. */
export interface Moment {
  /** The date that rules such as overdue and expired compare with. */
  today: string;
  /** Null for now. 0 is before the organization's first event. */
  position: number | null;
}

/** A moment with a fixed position, so that a file or report stays the same however long it takes. */
export interface PinnedMoment extends Moment {
  position: number;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** RFC 3339 allows hours up to 23. JavaScript would also accept 24:00:00. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?Z$/;
const POSITION = /^\d{1,15}$/;

/** After this time a moment's position can't change any more. It covers clock differences and the slowest writer. */
const SETTLED_MS = 10_000;

/** Returns a date's first millisecond, or the timestamp; null if the text is not a valid date or timestamp. */
export const startOfPeriod = (text: string): string | null =>
  isRealDate(text) ? `${text}T00:00:00.000Z` : endOfPeriod(text);

/** Returns a date's last millisecond, or the timestamp with three decimals; null if the text is neither. */
export function endOfPeriod(text: string): string | null {
  if (DATE.test(text)) return isRealDate(text) ? endOfDay(text) : null;
  if (!TIMESTAMP.test(text)) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || !isRealDate(dateOf(text)) ? null : time.toISOString();
}

export function isRealDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/** Returns the conditions on the versions that were current after a position. */
export function versionConditions(position: number): Condition[] {
  return [
    { key: 'from_position', op: 'range', lte: position },
    { key: 'until_position', op: 'range', gt: position },
  ];
}

/** Returns the condition on record ids, for the collection that the moment is read from. */
export function recordIdCondition(ids: readonly string[], moment: Moment): Condition {
  return moment.position === null ? { op: 'ids', ids } : { key: 'record_id', op: 'in', values: ids };
}

/** Refuses as_of another day to callers without that permission. @throws Refusal forbidden */
export function requireAsOfPermission(
  snapshot: Snapshot,
  caller: Caller,
  organizationId: string,
  asOf: string | undefined,
): void {
  if (asOf === undefined || asOf === dateOf(snapshot.now().toISOString())) return;
  requirePermission(caller, organizationId, 'as_of another day');
}

/** Reads `as_of` in any of its forms. @throws Refusal invalid_input for the future and for an invalid text */
export async function momentOf(snapshot: Snapshot, organizationId: string, asOf: string | undefined): Promise<Moment> {
  if (asOf === undefined) return { today: dateOf(snapshot.now().toISOString()), position: null };
  return pinnedMoment(snapshot, organizationId, asOf);
}

/** Reads `as_of` as a fixed position. Without `as_of` it is the newest position. */
export async function pinnedMoment(
  snapshot: Snapshot,
  organizationId: string,
  asOf: string | undefined,
): Promise<PinnedMoment> {
  const today = dateOf(snapshot.now().toISOString());
  if (asOf === undefined || asOf === today) return { today, position: await newestPosition(snapshot, organizationId) };
  if (POSITION.test(asOf)) return momentOfPosition(snapshot, organizationId, Number(asOf));
  if (idPrefix(asOf) === 'aud') {
    return momentOfPosition(snapshot, organizationId, await completedPosition(snapshot, organizationId, asOf, 'as_of'));
  }
  const time = endOfPeriod(asOf);
  if (time === null) {
    throw new Refusal(
      'invalid_input',
      'as_of is not a moment. Give a date, a timestamp in UTC, a completed audit’s id, or a position.',
      {
        field: 'as_of',
      },
    );
  }
  return { today: dateOf(time), position: await positionAt(snapshot, organizationId, time) };
}

/** Returns the position of the newest event at the time of the call. */
async function newestPosition({ progress }: Snapshot, organizationId: string): Promise<number> {
  if (!(await progress.waitUntilCaughtUp(Date.now(), READ_WAIT_MS))) throw notCaughtUp();
  return progress.checkpoint(organizationId)?.position ?? 0;
}

async function momentOfPosition(snapshot: Snapshot, organizationId: string, position: number): Promise<PinnedMoment> {
  const { progress } = snapshot;
  if ((progress.checkpoint(organizationId)?.position ?? 0) < position) {
    if (!(await progress.waitUntilCaughtUp(Date.now(), READ_WAIT_MS))) throw notCaughtUp();
    if ((progress.checkpoint(organizationId)?.position ?? 0) < position) refuseFuture();
  }
  // Position 0, before the first event, has the first event's day.
  const time = await logTimeOf(snapshot, organizationId, Math.max(1, position));
  if (time === null) throw notCaughtUp();
  return { today: dateOf(time), position };
}

/** Returns the log time of the event at a position; null if there is none. */
export async function logTimeOf(
  { models }: Snapshot,
  organizationId: string,
  position: number,
): Promise<string | null> {
  const [change] = await models.get(CHANGES.name, [changeId(organizationId, position)]);
  return change === undefined ? null : String(change.doc.log_time);
}

/** Returns a moment's log time, which never changes for a position; null for now. */
export async function logTimeAt(
  snapshot: Snapshot,
  organizationId: string,
  { position }: Moment,
): Promise<string | null> {
  return position === null ? null : logTimeOf(snapshot, organizationId, Math.max(1, position));
}

/** Returns the position that an audit's completion pinned. @throws Refusal if there is none */
export async function completedPosition(
  snapshot: Snapshot,
  organizationId: string,
  id: string,
  field: string,
): Promise<number> {
  const [audit] = await snapshot.models.get('audits', [id]);
  if (audit?.doc.organization_id !== organizationId) {
    throw new Refusal('not_found', `There is no ${id} here. Find the audit with listAudits.`, { field });
  }
  const completed = audit.doc.completed_position;
  if (typeof completed === 'string') return Number(completed);
  throw new Refusal('invalid_input', 'This audit was never completed. Complete it first, or give a date.', { field });
}

/** Returns the last position with a log time up to `time`. */
export async function positionAt(snapshot: Snapshot, organizationId: string, time: string): Promise<number> {
  const key = `${organizationId}@${time}`;
  const settled = snapshot.settledPositions.get(key);
  if (settled !== undefined) return settled;
  const now = snapshot.now().getTime();
  const moment = Date.parse(time);
  const { progress } = snapshot;
  const needed = Math.min(moment + SETTLED_MS, now);
  if (!(await progress.waitUntilCaughtUp(needed, READ_WAIT_MS))) throw notCaughtUp();
  if (moment > now && time > (progress.checkpoint(organizationId)?.logTime ?? '')) refuseFuture();
  const [last] = await snapshot.models.find({
    collection: 'changes',
    organizationId,
    where: [{ key: 'log_time', op: 'range', lte: time }],
    order: { key: 'log_time', direction: 'DESC' },
    limit: 1,
  });
  const position = last === undefined ? 0 : Number(last.doc.position);
  if (progress.caughtUpAt >= moment + SETTLED_MS) snapshot.settledPositions.set(key, position);
  return position;
}

function refuseFuture(): never {
  throw new Refusal('invalid_input', 'as_of is in the future. Leave it out to read the current state.', {
    field: 'as_of',
  });
}
