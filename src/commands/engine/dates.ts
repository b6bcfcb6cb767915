const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Stands in a key for an absent date in the future: not due, no end, always valid. */
export const MAX_DATE = '9999-12-31';
/** Stands in a key for an absent date in the past: never reviewed, no evidence. */
export const MIN_DATE = '0001-01-01';

/** Returns the date of an RFC 3339 UTC timestamp or of a date. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Returns the number of days from 1970-01-01 to a time in milliseconds. */
export const dayNumber = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

/** Returns a date's last millisecond. */
export const endOfDay = (date: string): string => `${date}T23:59:59.999Z`;

/** Returns the time by which a date or time is compared with others. A date counts as its end. */
export const instantOf = (dateOrTime: string): string => (DATE.test(dateOrTime) ? endOfDay(dateOrTime) : dateOrTime);

/** Returns the date `days` after a date or timestamp. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${dateOf(date)}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the date `months` after a date. The last day of a shorter month stands for a day that it doesn't have. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

/** Returns the number of days from a date to a later one. It is negative for an earlier one. */
export function daysBetween(from: string, until: string): number {
  return Math.round((Date.parse(until) - Date.parse(from)) / DAY_MS);
}

/** RFC 3339 allows hours up to 23. JavaScript would also accept 24:00:00. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Returns a date's first millisecond, or the timestamp; null if the text is not a valid date or timestamp. */
export function startOfPeriod(text: string): string | null {
  return isRealDate(text) ? `${text}T00:00:00.000Z` : endOfPeriod(text);
}

/** Returns a date's last millisecond, or the timestamp in UTC with three decimals; null if the text is neither. */
export function endOfPeriod(text: string): string | null {
  if (DATE.test(text)) return isRealDate(text) ? endOfDay(text) : null;
  if (!TIMESTAMP.test(text) || !isRealDate(dateOf(text))) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return null;
  // An offset can lead to the year -1 or 10000, which have more digits.
  const inUtc = time.toISOString();
  return inUtc.length === '2026-01-01T00:00:00.000Z'.length ? inUtc : null;
}

/** Returns a date as it is, and a timestamp in UTC with three decimals; null if the text is neither. */
export function toDateOrTime(text: string): string | null {
  return isRealDate(text) ? text : endOfPeriod(text);
}

/** In the zone farthest ahead of UTC, a day begins first. */
const FARTHEST_AHEAD_MS = 14 * 3_600_000;

/** Returns the day of a time in the zone farthest ahead of UTC. */
export function dayFarthestAhead(time: string): string {
  return dateOf(new Date(Date.parse(time) + FARTHEST_AHEAD_MS).toISOString());
}

/** Returns true for a date or time after the end of today, wherever the caller is. @param now a timestamp */
export function isAfterToday(dateOrTime: string, now: string): boolean {
  const day = DATE.test(dateOrTime) ? dateOrTime : dayFarthestAhead(dateOrTime);
  return day > dayFarthestAhead(now);
}

/** Returns the day of a date or timestamp if the calendar doesn't have it, such as 2027-02-29; else null. */
export function missingDay(text: string): string | null {
  const day = /^(\d{4}-\d{2}-\d{2})(?:T|$)/.exec(text.trim())?.[1];
  return day === undefined || isRealDate(day) ? null : day;
}

/** Returns true for a date that exists in the calendar, such as 2028-02-29. */
export function isRealDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
