import { endOfPeriod, isRealDate, startOfPeriod, toDateOrTime } from '../../commands/engine/dates.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import { completedPosition, logTimeOf, POSITION, reversedPeriod } from '../../queries/moments/moment.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { HeadFact, ReportContext } from '../report-type.ts';

/** A part of the organization's history, from one position to another. Both are included. */
export interface Period {
  first: number;
  /** Less than `first` for a period without events. */
  last: number;
  /** The first and last moment, each a date or a time. Null before the organization's first event. */
  from: string | null;
  to: string | null;
}

/** The start or end of a period as the caller gave it: a position, or a time. */
interface Bound {
  position: number | null;
  /** A date or a timestamp. */
  time: string;
}

/**
 * Returns the period between two moments, each in a form that `as_of` accepts. Without `to` it ends at the report's moment.
 * @throws Refusal for an invalid moment, one after the report's moment, and for `from` after `to`
 */
export async function periodBetween(context: ReportContext, from: string, to: string | undefined): Promise<Period> {
  const begin = await boundOf(context, 'from', from);
  const first = begin.position === null ? await firstSince(context, begin.time) : Math.max(1, begin.position);
  if (to === undefined) return { ...(await wholeHistory(context)), first, from: begin.time };
  const end = await boundOf(context, 'to', to);
  const last = end.position ?? (await lastPositionUntil(context, end.time));
  if (isSwapped(begin, end, first, last)) throw reversedPeriod('from');
  return { first, last, from: begin.time, to: end.time };
}

/**
 * Returns the period that an audit examined. It ends at the completion at the latest, which is the report's moment.
 * @param from a date; null for the organization's first event
 * @param until a date; null for the completion
 */
export async function auditPeriod(
  context: ReportContext,
  from: string | null,
  until: string | null,
): Promise<Period & { isCut: boolean }> {
  const { moment } = context;
  const whole = await wholeHistory(context);
  const isCut = until !== null && until >= moment.today;
  const end = until === null || isCut ? whole : { last: await lastPositionUntil(context, until), to: until };
  const begin = from === null ? whole : { first: await firstSince(context, from), from };
  return { first: begin.first, from: begin.from, last: end.last, to: end.to, isCut };
}

/** Returns a period as lines of the report's head. */
export function periodFacts({ first, last, from, to }: Period): HeadFact[] {
  return [
    { label: 'Changes from', value: from ?? '–' },
    { label: 'Changes to', value: to ?? '–' },
    { label: 'Changes', value: first > last ? 'none' : `${first} to ${last}` },
  ];
}

/** Returns a period as inputs of the report. */
export function periodInputs({ first, last, from, to }: Period): Record<string, string> {
  const moments = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  return { ...moments, from_position: String(first), to_position: String(last) };
}

async function wholeHistory({ snapshot, organizationId, moment }: ReportContext): Promise<Period> {
  const [from, to] = await Promise.all([1, moment.position].map((at) => logTimeOf(snapshot, organizationId, at)));
  return { first: 1, last: moment.position, from: from ?? null, to: to ?? null };
}

/** Reads a moment. @throws Refusal for an invalid one, and for one after the report's moment */
async function boundOf(context: ReportContext, field: 'from' | 'to', text: string): Promise<Bound> {
  const { snapshot, organizationId, moment } = context;
  const position = await positionOf(context, field, text);
  const time = position === null ? timeOf(field, text) : null;
  const isLater =
    time === null
      ? position! > moment.position
      : time.slice(0, 10) > moment.today || (!isRealDate(time) && time > snapshot.now().toISOString());
  if (isLater) {
    const nextStep = field === 'from' ? 'Give an earlier one' : 'Give an earlier one, or leave it out';
    throw invalidField(field, `${field} is after the report's moment, which is now or as_of. ${nextStep}.`);
  }
  if (time !== null) return { position: null, time };
  return { position, time: (await logTimeOf(snapshot, organizationId, Math.max(1, position!))) ?? '' };
}

/** Returns a date as it is, and a timestamp with three decimals. @throws Refusal for any other text */
function timeOf(field: string, text: string): string {
  const time = toDateOrTime(text);
  if (time !== null) return time;
  const message = `"${text}" is not a valid ${field}. Give a date, a timestamp in UTC, a completed audit's id, or a position.`;
  throw invalidField(field, message);
}

/** Returns the position that the text states, or that of a completed audit. Returns null for a time. */
async function positionOf(
  { snapshot, organizationId }: ReportContext,
  field: string,
  text: string,
): Promise<number | null> {
  if (POSITION.test(text)) return Number(text);
  return idPrefix(text) === 'aud' ? completedPosition(snapshot, organizationId, text, field) : null;
}

/** Two times are compared as times, because there may be no event between them. Otherwise positions are compared. */
function isSwapped(begin: Bound, end: Bound, first: number, last: number): boolean {
  if (begin.position !== null || end.position !== null) return first > last;
  return startOfPeriod(begin.time)! > endOfPeriod(end.time)!;
}

/** Returns the first position since a time or a day's start. Without one, returns the position after the report's. */
async function firstSince(context: ReportContext, time: string): Promise<number> {
  const after = context.moment.position + 1;
  const since = { key: 'log_time', op: 'range', gte: startOfPeriod(time)! } as const;
  return Math.min(after, (await changeBy(context, since, 'ASC')) ?? after);
}

/** Returns the last position until a time or a day's end, at most the report's position. */
async function lastPositionUntil(context: ReportContext, time: string): Promise<number> {
  const until = { key: 'log_time', op: 'range', lte: endOfPeriod(time)! } as const;
  return Math.min(context.moment.position, (await changeBy(context, until, 'DESC')) ?? 0);
}

async function changeBy(
  { snapshot, organizationId }: ReportContext,
  condition: Condition,
  direction: 'ASC' | 'DESC',
): Promise<number | null> {
  const order = { key: 'log_time', direction };
  const [change] = await snapshot.models.find({
    collection: 'changes',
    organizationId,
    where: [condition],
    order,
    limit: 1,
  });
  return change === undefined ? null : Number(change.doc.position);
}
