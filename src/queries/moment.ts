import { LRUCache } from 'lru-cache';
import type { Caller } from '../commands/caller.ts';
import { dateOf, endOfDay } from '../commands/dates.ts';
import { idPrefix } from '../commands/ids.ts';
import { requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { CHANGES, changeId } from '../projections/changes.ts';
import type { Condition, ReadModels } from '../stores/read-store.ts';
import { notCaughtUp, READ_WAIT_MS, type Reader } from './reader.ts';

/** The state a read is about: as it is now, or after a position of the organization's log. */
export interface Moment {
  /** The day that date rules (overdue, expired) use. */
  today: string;
  /** Null for now. 0 is before the organization's first event. */
  position: number | null;
}

/** A moment that stays what it is while a file or a report of it is written, however long that takes. */
export interface PinnedMoment extends Moment {
  position: number;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** RFC 3339's hours end at 23; JavaScript's go on to 24:00:00, the next day's beginning. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?Z$/;
const POSITION = /^\d{1,15}$/;

/** Clocks of instances and the wait for the slowest writer: past this, a moment's answer never changes. */
const SETTLED_MS = 10_000;

/** Of read models, times whose position can't change any more, so that a walk through old pages resolves them once. */
const settledPositions = new WeakMap<ReadModels, LRUCache<string, number>>();

/** A date's first millisecond, or the timestamp; null when it is neither or impossible. */
export const startOfPeriod = (text: string): string | null =>
  isRealDate(text) ? `${text}T00:00:00.000Z` : endOfPeriod(text);

/** A date's last millisecond, or the timestamp with exactly three decimals; null when it is neither or impossible. */
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

/** Versions that held after a position. */
export function validAt(position: number): Condition[] {
  return [
    { key: 'from_position', op: 'range', lte: position },
    { key: 'until_position', op: 'range', gt: position },
  ];
}

/** Records by id in the collection that a moment is read from. */
export function recordsById(ids: readonly string[], moment: Moment): Condition {
  return moment.position === null ? { op: 'ids', ids } : { key: 'record_id', op: 'in', values: ids };
}

/** Not everybody may name another moment than today. @throws Refusal forbidden */
export function requireAsOfPermission(
  reader: Reader,
  caller: Caller,
  organizationId: string,
  asOf: string | undefined,
): void {
  if (asOf === undefined || asOf === dateOf(reader.now().toISOString())) return;
  requirePermission(caller, organizationId, 'as_of another day');
}

/** Reads `as_of` in each of its forms. @throws Refusal invalid_input for the future and for what is no moment */
export async function momentOf(reader: Reader, organizationId: string, asOf: string | undefined): Promise<Moment> {
  if (asOf === undefined) return { today: dateOf(reader.now().toISOString()), position: null };
  return pinnedMoment(reader, organizationId, asOf);
}

/** The same, with the newest position for now. */
export async function pinnedMoment(
  reader: Reader,
  organizationId: string,
  asOf: string | undefined,
): Promise<PinnedMoment> {
  const today = dateOf(reader.now().toISOString());
  if (asOf === undefined || asOf === today) return { today, position: await newestPosition(reader, organizationId) };
  if (POSITION.test(asOf)) return momentOfPosition(reader, organizationId, Number(asOf));
  if (idPrefix(asOf) === 'aud') {
    return momentOfPosition(reader, organizationId, await completedPosition(reader, organizationId, asOf, 'as_of'));
  }
  const time = endOfPeriod(asOf);
  if (time === null) {
    throw new Refusal(
      'invalid_input',
      "Give as_of as a date, a timestamp in UTC, a completed audit's id, or a position from an earlier answer.",
      {
        field: 'as_of',
      },
    );
  }
  return { today: dateOf(time), position: await positionAt(reader, organizationId, time) };
}

/** Now, as a position that serves later: of the newest event there is when it is asked for. */
async function newestPosition({ progress }: Reader, organizationId: string): Promise<number> {
  if (!(await progress.waitUntilCaughtUp(Date.now(), READ_WAIT_MS))) throw notCaughtUp();
  return progress.checkpoint(organizationId)?.position ?? 0;
}

async function momentOfPosition(reader: Reader, organizationId: string, position: number): Promise<PinnedMoment> {
  const { progress } = reader;
  if ((progress.checkpoint(organizationId)?.position ?? 0) < position) {
    if (!(await progress.waitUntilCaughtUp(Date.now(), READ_WAIT_MS))) throw notCaughtUp();
    if ((progress.checkpoint(organizationId)?.position ?? 0) < position) refuseFuture();
  }
  // Just before the first event it is that one's day already.
  const time = await logTimeOf(reader, organizationId, Math.max(1, position));
  if (time === null) throw notCaughtUp();
  return { today: dateOf(time), position };
}

/** When the event at a position came into the log; null where there is none. */
export async function logTimeOf({ models }: Reader, organizationId: string, position: number): Promise<string | null> {
  const [change] = await models.get(CHANGES.name, [changeId(organizationId, position)]);
  return change === undefined ? null : String(change.doc.log_time);
}

/** The time of a moment by the log's clock, which never changes for a position; null for now. */
export async function logTimeAt(reader: Reader, organizationId: string, { position }: Moment): Promise<string | null> {
  return position === null ? null : logTimeOf(reader, organizationId, Math.max(1, position));
}

/** The position that an audit pinned when it was completed. @throws Refusal where there is none */
export async function completedPosition(
  reader: Reader,
  organizationId: string,
  id: string,
  field: string,
): Promise<number> {
  const [audit] = await reader.models.get('audits', [id]);
  if (audit?.doc.organization_id !== organizationId) {
    throw new Refusal('not_found', `There is no ${id} here: listAudits names the audits there are.`, { field });
  }
  const completed = audit.doc.completed_position;
  if (typeof completed === 'string') return Number(completed);
  throw new Refusal('invalid_input', 'This audit was never completed: give a date, or complete it first.', { field });
}

/** The last position whose log time is not later than `time`. */
export async function positionAt(reader: Reader, organizationId: string, time: string): Promise<number> {
  const key = `${organizationId}@${time}`;
  const cache = settledPositions.get(reader.models) ?? new LRUCache<string, number>({ max: 5_000 });
  settledPositions.set(reader.models, cache);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const arrival = reader.now().getTime();
  const moment = Date.parse(time);
  const { progress } = reader;
  const needed = Math.min(moment + SETTLED_MS, arrival);
  if (!(await progress.waitUntilCaughtUp(needed, READ_WAIT_MS))) throw notCaughtUp();
  if (moment > arrival && time > (progress.checkpoint(organizationId)?.logTime ?? '')) refuseFuture();
  const [last] = await reader.models.find({
    collection: 'changes',
    organizationId,
    where: [{ key: 'log_time', op: 'range', lte: time }],
    order: { key: 'log_time', direction: 'DESC' },
    limit: 1,
  });
  const position = last === undefined ? 0 : Number(last.doc.position);
  if (progress.caughtUpAt >= moment + SETTLED_MS) cache.set(key, position);
  return position;
}

function refuseFuture(): never {
  throw new Refusal('invalid_input', 'as_of is in the future: leave it out to read the present.', { field: 'as_of' });
}
