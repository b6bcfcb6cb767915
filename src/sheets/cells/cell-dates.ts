import type { Cell } from './cell.ts';
import { cellError, type ParsedCell } from './cell.ts';
import { monthOfName } from './month-names.ts';

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

function splitTime(text: string): { day: string; time?: string } {
  const time = /(?:(?<=\d)T|,? )(\d{1,2}:\d{2}.*)$/i.exec(text);
  return time ? { day: text.slice(0, time.index), time: time[1]! } : { day: text };
}

const ISO_DAY = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const JAPANESE_DAY = /^(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$/;
const NUMBERED_DAY = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d{2})$/;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th|er|º)?[-. ]+(?:de |of )?(\p{L}{3,12})[-.,/ ]+(?:de |of )?(\d{4}|\d{2})$/iu;
const MONTH_FIRST = /^(\p{L}{3,12})[-. ]+(\d{1,2})(?:st|nd|rd|th)?(?:, ?|[- ]+)(\d{4}|\d{2})$/iu;

function dayFrom(cell: Cell, text: string, { dateOrder, provenOrder }: DateOrders): ParsedCell<string> {
  const iso = ISO_DAY.exec(text);
  if (iso) return realDay(cell, iso[1]!, Number(iso[3]), iso[4]!);
  const japanese = JAPANESE_DAY.exec(text);
  if (japanese) return realDay(cell, japanese[1]!, Number(japanese[2]), japanese[3]!);
  const numbers = NUMBERED_DAY.exec(text);
  if (numbers) {
    const [, first, separator, second, year] = numbers as unknown as [string, string, string, string, string];
    const order = dateOrder ?? (separator === '.' ? 'dmy' : provenOrder);
    return year.length === 2 && order === undefined
      ? shortDay(cell, first, second, year)
      : numberedDay(cell, first, second, fullYear(year), order);
  }
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) return namedDay(cell, dayFirst[3]!, dayFirst[2]!, dayFirst[1]!);
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst) return namedDay(cell, monthFirst[3]!, monthFirst[1]!, monthFirst[2]!);
  return cellError(cell, `is not a date. ${DATE_HELP}`);
}

/** The first year of two digits that is one of the last century, as in POSIX. */
const FIRST_OLD_YEAR = 69;

function fullYear(year: string): string {
  return year.length === 4 ? year : `${Number(year) < FIRST_OLD_YEAR ? 20 : 19}${year}`;
}

/** Reads 12/31/26. The first number could be the year too, so the day is read only if no other day is possible. */
function shortDay(cell: Cell, first: string, second: string, year: string): ParsedCell<string> {
  const days = [
    numberedDay(cell, first, second, fullYear(year), 'dmy'),
    numberedDay(cell, first, second, fullYear(year), 'mdy'),
    realDay(cell, fullYear(first.padStart(2, '0')), Number(second), year),
  ];
  const possible = new Set(days.flatMap((day) => ('error' in day ? [] : day.value)));
  if (possible.size < 2) return days.find((day) => 'value' in day) ?? days[0]!;
  return cellError(
    cell,
    `could be ${[...possible].join(' or ')}. Use --dates dmy if the day comes first, --dates mdy if the month does`,
  );
}

function namedDay(cell: Cell, year: string, name: string, day: string): ParsedCell<string> {
  const month = monthOfName(name);
  return month === null ? cellError(cell, `is not a date. ${DATE_HELP}`) : realDay(cell, fullYear(year), month, day);
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

function realDay(cell: Cell, year: string, month: number, day: string): ParsedCell<string> {
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00.000Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(date)) return { value: date };
  return cellError(cell, `is not a day of the calendar. ${DATE_HELP}`);
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
