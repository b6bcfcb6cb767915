const DAY_MS = 86_400_000;

/** The UTC date of an RFC 3339 timestamp or of a date. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** A date's last millisecond. */
export const endOfDay = (date: string): string => `${date}T23:59:59.999Z`;

/** The date `days` after a date or timestamp. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${dateOf(date)}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
