import { dateOf, endOfPeriod, missingDay } from '../../commands/engine/dates.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { CHANGES, changeId } from '../../projections/history/change-document.ts';
import type { Checkpoint, Condition } from '../../stores/read-store.ts';
import { notCaughtUp, type Snapshot } from './snapshot.ts';

/** Ends the refusal of a moment that can't be read. Pages say it in their own words. */
export const MOMENT_FORMS = 'Give a date, a timestamp in UTC, a completed audit’s id, or a position.';

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

/** The records that a query reads: those of one organization at one moment, from one snapshot. */
export interface QueryContext {
  readonly snapshot: Snapshot;
  readonly organizationId: string;
  readonly moment: Moment;
}

/** A position as callers write it. */
export const POSITION = /^\d{1,15}$/;

/** After this time a moment's position can't change any more. It covers clock differences and the slowest writer. */
export const SETTLED_MS = 10_000;

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

/** Returns the moment that `as_of` means, in any of its forms. @throws Refusal invalid_input if it is in the future or invalid */
export function momentOf(
  snapshot: Snapshot,
  organizationId: string,
  asOf: string | undefined,
): Promise<Moment> | Moment {
  return asOf === undefined ? currentMoment(snapshot) : pinnedMoment(snapshot, organizationId, asOf);
}

/** Returns the moment of a read of the current state. */
export function currentMoment(snapshot: Snapshot): Moment {
  return { today: snapshot.today(), position: null };
}

/**
 * Returns the moment that `as_of` means, at a fixed position. Without `as_of`, that is the newest position.
 * @param field the input's name for the moment
 */
export async function pinnedMoment(
  snapshot: Snapshot,
  organizationId: string,
  asOf: string | undefined,
  field = 'as_of',
): Promise<PinnedMoment> {
  const today = snapshot.today();
  if (asOf === undefined || asOf === today) {
    await snapshot.waitUntilCaughtUp(snapshot.now().getTime());
    return { today, position: snapshot.newestPosition(organizationId) };
  }
  if (POSITION.test(asOf)) return momentOfPosition(snapshot, organizationId, Number(asOf), field);
  if (idPrefix(asOf) === 'aud') {
    const completed = await completedPosition(snapshot, organizationId, asOf, field);
    return momentOfPosition(snapshot, organizationId, completed, field);
  }
  const time = endOfPeriod(asOf);
  if (time === null) {
    const day = missingDay(asOf);
    const problem = day === null ? `${field} is not valid.` : `${day} does not exist in the calendar.`;
    throw invalidField(field, `${problem} ${MOMENT_FORMS}`);
  }
  return { today: dateOf(time), position: await positionAt(snapshot, organizationId, time, field) };
}

/** Returns the moment after a position, with the day of its event. Position 0 has the first event's day. */
async function momentOfPosition(
  snapshot: Snapshot,
  organizationId: string,
  position: number,
  field: string,
): Promise<PinnedMoment> {
  if (!(await isPositionReached(snapshot, organizationId, position))) refuseFuture(field);
  const time = await logTimeOf(snapshot, organizationId, Math.max(1, position));
  if (time === null) throw notCaughtUp();
  return { today: dateOf(time), position };
}

/** Returns true if the organization has an event at a position. Waits for the read models if they seem not to. */
async function isPositionReached(snapshot: Snapshot, organizationId: string, position: number): Promise<boolean> {
  if (snapshot.newestPosition(organizationId) >= position) return true;
  await snapshot.waitUntilCaughtUp(snapshot.now().getTime());
  return snapshot.newestPosition(organizationId) >= position;
}

/**
 * Refuses a cursor with a position that doesn't exist: an older copy of the log was restored since it was made. Its page
 * would otherwise show later events as if they had been there.
 * @param field the input with the cursor
 */
export async function requireCursorPosition(
  snapshot: Snapshot,
  organizationId: string,
  position: number | null,
  field = 'cursor',
): Promise<void> {
  if (position === null || (await isPositionReached(snapshot, organizationId, position))) return;
  const message = `This cursor is from before the history was restored, at a position that no longer exists. Repeat the call without ${field}.`;
  throw invalidField(field, message);
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

/** Returns the log time of the context's moment; null for now. A position's log time never changes. */
export async function logTimeOfMoment({ snapshot, organizationId, moment }: QueryContext): Promise<string | null> {
  return moment.position === null ? null : logTimeOf(snapshot, organizationId, Math.max(1, moment.position));
}

/** Returns the position at which an audit was completed. @throws Refusal if it was never completed or doesn't exist */
export async function completedPosition(
  { models }: Snapshot,
  organizationId: string,
  id: string,
  field: string,
): Promise<number> {
  const [audit] = await models.get('audits', [id]);
  if (audit?.doc.organization_id !== organizationId) {
    throw new Refusal('not_found', `This organization has no audit ${id}. List its audits to find the right id.`, {
      field,
    });
  }
  const completed = audit.doc.completed_position;
  if (typeof completed === 'string') return Number(completed);
  throw invalidField(field, 'This audit was never completed. Complete it first, or give a date.');
}

/** Returns the last position with a log time up to `time`. */
export async function positionAt(
  snapshot: Snapshot,
  organizationId: string,
  time: string,
  field = 'as_of',
): Promise<number> {
  const { models, progress, settledPositions } = snapshot;
  const key = `${organizationId}@${time}`;
  const settled = settledPositions.get(key);
  if (settled !== undefined) return settled;
  const now = snapshot.now().getTime();
  const timeMs = Date.parse(time);
  await snapshot.waitUntilCaughtUp(Math.min(timeMs + SETTLED_MS, now));
  if (timeMs > now && time > (progress.checkpoint(organizationId)?.logTime ?? '')) refuseFuture(field);
  // Read before the find: an event that arrives meanwhile may be missing there.
  const isSettled = progress.caughtUpAt >= timeMs + SETTLED_MS;
  const [last] = await models.find({
    collection: CHANGES.name,
    organizationId,
    where: [{ key: 'log_time', op: 'range', lte: time }],
    order: { key: 'log_time', direction: 'DESC' },
    limit: 1,
  });
  const position = last === undefined ? 0 : Number(last.doc.position);
  if (isSettled) settledPositions.set(key, position);
  return position;
}

/** Says that a past moment is before the organization's first event, or on a day after its last one. Else null. */
export async function momentHint({ snapshot, organizationId, moment }: QueryContext): Promise<string | null> {
  const { position, today } = moment;
  if (position === null) return null;
  if (position === 0) {
    const first = await logTimeOf(snapshot, organizationId, 1);
    return first === null ? null : `The history begins on ${dateOf(first)}. Nothing was recorded before.`;
  }
  const last = snapshot.progress.checkpoint(organizationId);
  if (last === null || position < last.position || today <= dateOf(last.logTime)) return null;
  return `Nothing was recorded after ${dateOf(last.logTime)}, position ${last.position}.`;
}

/** Returns the error for a period that ends before it begins: an empty answer would look as if nothing was changed. */
export function reversedPeriod(field: string): Refusal {
  return invalidField(field, 'The period ends before it begins. Give the earlier moment first.');
}

function refuseFuture(field: string): never {
  const message = `${field} is in the future. Give an earlier moment, or today’s date for the current state.`;
  throw invalidField(field, message);
}

/** The data of most events takes less memory: 440 bytes on average in the demo. With long texts it takes 80,000. */
const BYTES_OF_EVENT = 1_024;

/** Returns the size of an organization's log: the number of its events. Data of more than 1 KiB an event counts as further events. */
export function logSize(checkpoint: Pick<Checkpoint, 'position' | 'bytes'> | null): number {
  return checkpoint === null ? 0 : Math.max(checkpoint.position, Math.ceil(checkpoint.bytes / BYTES_OF_EVENT));
}
