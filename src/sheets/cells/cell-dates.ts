import type { Cell } from './cell.ts';
import { cellError, type ParsedCell } from './cell.ts';

/** The order of day and month: `dmy` reads 03/04/2026 as 3 April, `mdy` as 4 March. */
export type DateOrder = 'dmy' | 'mdy';

/** The order of day and month in a column, as far as it is known. Else an ambiguous date is refused. */
export interface DateOrders {
  /** The order that the user chose. */
  dateOrder?: DateOrder | undefined;
  /** The order that other cells of the column prove. Dates with dots have the day first all the same. */
  provenOrder?: DateOrder | undefined;
}

interface Moment {
  date: string;
  /** `hh:mm:ss.sss`, if the cell has a time. */
  time?: string;
  /** Minutes ahead of UTC, if the cell has a time zone. */
  offset?: number;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const DATE_HELP = 'Give YYYY-MM-DD, or 31 Dec 2026';

/**
 * Reads a day, `YYYY-MM-DD`. Ignores a time, but refuses one in another zone than UTC, because the day could differ.
 */
export function dateFrom(cell: Cell, orders: DateOrders): ParsedCell<string> {
  const moment = momentFrom(cell, orders);
  if ('error' in moment) return moment;
  if (moment.value.offset) return cellError(cell, 'has a time in another zone than UTC. Give YYYY-MM-DD alone');
  return { value: moment.value.date };
}

/** Reads a time in UTC, `YYYY-MM-DDThh:mm:ss.sssZ`, or a day if the cell has no time. A time without a zone is in UTC. */
export function timestampFrom(cell: Cell, orders: DateOrders): ParsedCell<string> {
  const moment = momentFrom(cell, orders);
  if ('error' in moment) return moment;
  const { date, time, offset = 0 } = moment.value;
  if (time === undefined) return { value: date };
  const instant = Date.parse(`${date}T${time}Z`) - offset * 60_000;
  return { value: new Date(instant).toISOString() };
}

function momentFrom(cell: Cell, orders: DateOrders): ParsedCell<Moment> {
  if (cell.kind === 'date') return { value: { date: cell.value } };
  if (cell.kind === 'timestamp') return { value: { date: cell.value.slice(0, 10), time: cell.value.slice(11, -1) } };
  if (cell.kind === 'number') {
    return cellError(cell, 'is a number without a date format. Format the column as a date, or give YYYY-MM-DD');
  }
  if (cell.kind !== 'text') return cellError(cell, `is not a date. ${DATE_HELP}`);
  const { day, time } = splitTime(cell.value.trim().replace(/\s+/g, ' '));
  const date = dayFrom(cell, day, orders);
  if ('error' in date || time === undefined) return 'error' in date ? date : { value: { date: date.value } };
  const clock = clockFrom(time);
  return clock
    ? { value: { date: date.value, ...clock } }
    : cellError(cell, 'has no time as hh:mm. Give the time as hh:mm in UTC');
}

/** Splits a text into day and time. */
function splitTime(text: string): { day: string; time?: string } {
  const time = /(?:(?<=\d)T|,? )(\d{1,2}:\d{2}.*)$/i.exec(text);
  return time ? { day: text.slice(0, time.index), time: time[1]! } : { day: text };
}

function dayFrom(cell: Cell, text: string, { dateOrder, provenOrder }: DateOrders): ParsedCell<string> {
  const iso = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text);
  if (iso) return realDay(cell, iso[1]!, Number(iso[3]), iso[4]!);
  const numbers = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4})$/.exec(text);
  if (numbers) {
    const order = dateOrder ?? (numbers[2] === '.' ? 'dmy' : provenOrder);
    return numberedDay(cell, numbers[1]!, numbers[3]!, numbers[4]!, order);
  }
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-. ]+([a-z]{3,9})[-.,/ ]+(\d{4})$/i.exec(text);
  if (dayFirst) return realDay(cell, dayFirst[3]!, monthFrom(dayFirst[2]!), dayFirst[1]!);
  const monthFirst = /^([a-z]{3,9})[-. ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4})$/i.exec(text);
  if (monthFirst) return realDay(cell, monthFirst[3]!, monthFrom(monthFirst[1]!), monthFirst[2]!);
  if (/[-./ ]\d{2}$/.test(text) && !/\d{4}/.test(text))
    return cellError(cell, 'has a year of two digits. Give all four');
  return cellError(cell, `is not a date. ${DATE_HELP}`);
}

function numberedDay(cell: Cell, first: string, second: string, year: string, order: DateOrder | undefined) {
  const dmy = realDay(cell, year, Number(second), first);
  const mdy = realDay(cell, year, Number(first), second);
  if (order !== undefined) return order === 'dmy' ? dmy : mdy;
  if ('error' in dmy) return mdy;
  if ('error' in mdy || dmy.value === mdy.value) return dmy;
  return cellError(
    cell,
    `could be ${dmy.value} or ${mdy.value}. Use --dates dmy for the first, --dates mdy for the second`,
  );
}

/** @param month 1 to 12; any other number is an error */
function realDay(cell: Cell, year: string, month: number, day: string): ParsedCell<string> {
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00.000Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(date)) return { value: date };
  return cellError(cell, `is not a day of the calendar. ${DATE_HELP}`);
}

/** Returns 1 to 12, or 0 for a word that is not a month. */
function monthFrom(word: string): number {
  return MONTHS.findIndex((month) => month.startsWith(word.toLowerCase())) + 1;
}

/** Reads `14:30`, `2:30 pm`, `14:30:05.250`, each perhaps with `Z`, `UTC` or `+02:00`. */
function clockFrom(text: string): Pick<Moment, 'time' | 'offset'> | undefined {
  const match =
    /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?([ap])\.?m\.?)?(?: ?(z|utc|gmt|[+-]\d{2}:?\d{2}))?$/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, hour, minute, second = '00', fraction = '', half, zone] = match;
  const hours = half ? halfDay(Number(hour), half) : Number(hour);
  if (!(hours < 24) || Number(minute) > 59 || Number(second) > 59) return undefined;
  const time = `${String(hours).padStart(2, '0')}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return { time, ...(zone ? { offset: offsetOf(zone) } : {}) };
}

/** Converts a 12-hour clock's hour to 24 hours. Returns NaN for an invalid one. */
function halfDay(hour: number, meridiem: string): number {
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (meridiem.toLowerCase() === 'p' ? 12 : 0);
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
