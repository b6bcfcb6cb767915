import { kindOf } from '../../commands/ids.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { Condition } from '../../stores/read-store.ts';
import { beginOf, completionOf, endOf, isRealDate, logTimeOf } from '../moment.ts';
import type { Fact, ReportContext } from './report-type.ts';

/** A part of the organization's history: from which ordinal to which, both included. */
export interface Period {
  first: number;
  /** Below `first` where nothing happened. */
  last: number;
  /** The moments that it is from and to, a date or a time each; null before the organization's first event. */
  from: string | null;
  to: string | null;
}

/** The end of a period as it was given: a place in the history, or a time. */
interface Bound {
  ordinal: number | null;
  /** A date stands as it was given. */
  time: string;
}

/**
 * Between two moments, each in the forms of `as_of`; until the report's moment unless `to` is given.
 * @throws Refusal where one is no moment or after the report's own, and where `from` is after `to`
 */
export async function periodAsked(context: ReportContext, from: string, to: string | undefined): Promise<Period> {
  const begin = await boundOf(context, 'from', from);
  const first = begin.ordinal === null ? await firstSince(context, begin.time) : Math.max(1, begin.ordinal);
  if (to === undefined) return { ...(await wholeUntilNow(context)), first, from: begin.time };
  const end = await boundOf(context, 'to', to);
  const last = end.ordinal ?? (await lastUntil(context, end.time));
  if (isSwapped(begin, end, first, last)) {
    throw new Refusal('invalid_input', 'from is after to: give the earlier moment as from.', { field: 'from' });
  }
  return { first, last, from: begin.time, to: end.time };
}

/**
 * What an audit examined, until it was completed: the report's moment. Without its first day from the beginning.
 * @param until a date; what is after the completion is cut off
 */
export async function periodExamined(
  context: ReportContext,
  from: string | null,
  until: string | null,
): Promise<Period & { cut: boolean }> {
  const { moment } = context;
  const whole = await wholeUntilNow(context);
  const cut = until !== null && until >= moment.today;
  const end = until === null || cut ? whole : { last: await lastUntil(context, until), to: until };
  const begin = from === null ? whole : { first: await firstSince(context, from), from };
  return { first: begin.first, from: begin.from, last: end.last, to: end.to, cut };
}

/** A period for whoever reads the report. */
export function aboutPeriod({ first, last, from, to }: Period): Fact[] {
  return [
    { label: 'Changes from', value: from ?? '–' },
    { label: 'Changes to', value: to ?? '–' },
    { label: 'Positions of changes', value: first > last ? 'none' : `${first} to ${last}` },
  ];
}

/** The same as inputs of a report. */
export function inputsOfPeriod({ first, last, from, to }: Period): Record<string, string> {
  const moments = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  return { ...moments, from_position: String(first), to_position: String(last) };
}

async function wholeUntilNow({ reader, organizationId, moment }: ReportContext): Promise<Period> {
  const [from, to] = await Promise.all([1, moment.ordinal].map((at) => logTimeOf(reader, organizationId, at)));
  return { first: 1, last: moment.ordinal, from: from ?? null, to: to ?? null };
}

/** Reads a moment. @throws Refusal where it is none, and where it is after the report's moment */
async function boundOf(context: ReportContext, field: 'from' | 'to', text: string): Promise<Bound> {
  const { reader, organizationId, moment } = context;
  const ordinal = await ordinalOf(context, field, text);
  const time = ordinal === null ? timeOf(field, text) : null;
  const isLater =
    time === null
      ? ordinal! > moment.ordinal
      : time.slice(0, 10) > moment.today || (!isRealDate(time) && time > reader.now().toISOString());
  if (isLater) {
    const instead = field === 'from' ? 'give an earlier one' : 'give an earlier one, or leave it out';
    const message = `${field} is after the report's moment, which is now unless as_of says otherwise: ${instead}.`;
    throw new Refusal('invalid_input', message, { field });
  }
  if (time !== null) return { ordinal: null, time };
  return { ordinal, time: (await logTimeOf(reader, organizationId, Math.max(1, ordinal!))) ?? '' };
}

/** A real date as it is, or a timestamp with exactly three decimals. */
function timeOf(field: string, text: string): string {
  const time = isRealDate(text) ? text : endOf(text);
  if (time !== null) return time;
  const message = `Give ${field} as a date, a timestamp in UTC, a completed audit's id, or a position.`;
  throw new Refusal('invalid_input', message, { field });
}

/** Of a position or a completed audit; null where it is a time. */
async function ordinalOf(
  { reader, organizationId }: ReportContext,
  field: string,
  text: string,
): Promise<number | null> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return kindOf(text) === 'aud' ? completionOf(reader, organizationId, text, field) : null;
}

/** Times are compared as such: between two of them there may be nothing. A place in the history is itself between them. */
function isSwapped(begin: Bound, end: Bound, first: number, last: number): boolean {
  if (begin.ordinal !== null || end.ordinal !== null) return first > last;
  return beginOf(begin.time)! > endOf(end.time)!;
}

/** The first ordinal of a time, of a day its beginning; the one behind the report's moment where there is none. */
async function firstSince(context: ReportContext, time: string): Promise<number> {
  const after = context.moment.ordinal + 1;
  const since = { key: 'log_time', op: 'range', gte: beginOf(time)! } as const;
  return Math.min(after, (await changeBy(context, since, 'ASC')) ?? after);
}

/** The last ordinal of a time, of a day its end, and never beyond the report's moment. */
async function lastUntil(context: ReportContext, time: string): Promise<number> {
  const until = { key: 'log_time', op: 'range', lte: endOf(time)! } as const;
  return Math.min(context.moment.ordinal, (await changeBy(context, until, 'DESC')) ?? 0);
}

async function changeBy(
  { reader, organizationId }: ReportContext,
  condition: Condition,
  direction: 'ASC' | 'DESC',
): Promise<number | null> {
  const order = { key: 'log_time', direction };
  const [found] = await reader.models.find({
    collection: 'changes',
    organizationId,
    where: [condition],
    order,
    limit: 1,
  });
  return found === undefined ? null : Number(found.doc.position);
}
