const DAY_MS = 86_400_000;

/** Stands in a key for an absent date in the future: not due, no end, always valid. */
export const MAX_DATE = '9999-12-31';
/** Stands in a key for an absent date in the past: never reviewed, no evidence. */
export const MIN_DATE = '0001-01-01';

/** Returns the date of an RFC 3339 UTC timestamp or of a date. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Returns a date's last millisecond. */
export const endOfDay = (date: string): string => `${date}T23:59:59.999Z`;

/** Returns the date `days` after a date or timestamp. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${dateOf(date)}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
