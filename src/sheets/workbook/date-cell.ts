import type { Cell } from '../cells/cell.ts';

const DAY_MS = 86_400_000;
/** Day 0 of each date system (ECMA-376 part 1, 18.17.4.1). EPOCH_1900 is valid for days from 1 March 1900. */
export const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** 29 February 1900 in the 1900 system, a day that never existed. Earlier days are one day further from the epoch. */
const MISSING_DAY = 60;
const END_OF_9999 = Date.UTC(9999, 11, 31) + DAY_MS;

/** Converts a number with a date format to a date, or to a timestamp if it has a time. An invalid day stays a number. */
export function dateCell(serial: number, date1904: boolean): Cell {
  const time = timeOf(serial, date1904);
  if (time === undefined) return { kind: 'number', value: serial };
  const value = new Date(time).toISOString();
  return time % DAY_MS === 0 ? { kind: 'date', value: value.slice(0, 10) } : { kind: 'timestamp', value };
}

/** Converts a day's number to milliseconds since 1970. The fraction is the time of day. */
function timeOf(serial: number, date1904: boolean): number | undefined {
  const day = Math.floor(serial);
  if (day < (date1904 ? 0 : 1) || (day === MISSING_DAY && !date1904)) return undefined;
  const epoch = date1904 ? EPOCH_1904 : EPOCH_1900 + (day < MISSING_DAY ? DAY_MS : 0);
  const time = epoch + Math.round(serial * DAY_MS);
  return time < END_OF_9999 ? time : undefined;
}

/** Returns the number of a time in the 1900 system. */
export const serialOf = (time: Date): number => (time.getTime() - EPOCH_1900) / DAY_MS;

/** Excel writes no longer code. Reading one needs time that grows with the square of the length. */
const MAX_CODE_CHARACTERS = 255;

/**
 * Returns true for a format code that shows a day (ECMA-376 part 1, 18.8.31). The letters y and d mean days, h and s mean
 * times, and m means months unless h or s is there too. Quoted and escaped letters and bracketed parts are ignored,
 * except that an elapsed time such as `[h]` makes m mean minutes. Only the first section counts.
 */
export function showsDay(format: string): boolean {
  const code = format.slice(0, MAX_CODE_CHARACTERS);
  const section = code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, '').split(';')[0]!;
  const letters = section.toLowerCase().replaceAll('general', '');
  return /[yd]/.test(letters) || (letters.includes('m') && !/[hs]/.test(letters) && !/\[[hms]+\]/i.test(code));
}
