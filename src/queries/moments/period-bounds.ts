import { dateOf, endOfDay } from '../../commands/engine/dates.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** RFC 3339 allows hours up to 23. JavaScript would also accept 24:00:00. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** Returns a date's first millisecond, or the timestamp; null if the text is not a valid date or timestamp. */
export function startOfPeriod(text: string): string | null {
  return isRealDate(text) ? `${text}T00:00:00.000Z` : endOfPeriod(text);
}

/** Returns a date's last millisecond, or the timestamp with three decimals; null if the text is neither. */
export function endOfPeriod(text: string): string | null {
  if (DATE.test(text)) return isRealDate(text) ? endOfDay(text) : null;
  if (!TIMESTAMP.test(text)) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || !isRealDate(dateOf(text)) ? null : time.toISOString();
}

/** Returns true for a date that exists in the calendar, such as 2028-02-29. */
export function isRealDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
