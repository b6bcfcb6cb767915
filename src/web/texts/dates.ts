const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a date in words, such as `14 Oct 2025`. */
export function dayText(at: string): string {
  return `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1]} ${at.slice(0, 4)}`;
}

/** Returns true for a date without a time of day. */
export function isDay(at: string): boolean {
  return at.length === 10;
}

/** Returns a point in time in words, to the minute, such as `14 Oct 2025, 16:02 UTC`. A date has no time of day. */
export function momentText(at: string): string {
  return isDay(at) ? dayText(at) : `${dayText(at)}, ${at.slice(11, 16)} UTC`;
}
