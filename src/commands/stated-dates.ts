import type { Field, Fields } from '../register/field.ts';
import { dateOf, dayFarthestAhead, isAfterToday } from './engine/dates.ts';
import { invalidField } from './engine/refusal.ts';

/*
 * The rules of dates that callers state. They hold for new values only: a record with an older odd date can still be
 * changed.
 */

const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;

/** Dates by which other programs say that something has no end. */
const NO_END = ['2999-12-31', '9999-12-31'];

/** Returns the values. @throws Refusal for a date among them that no record states: see `checkDate` */
export function checkDates<Values extends object>(fields: Fields, values: Values, context: { now: string }): Values {
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name];
    if (typeof value === 'string' && field !== undefined && isDated(field)) checkDate(name, value, field, context);
  }
  return values;
}

/** Refuses a date or time outside 1990 to 2100. A fact about the past is refused after the end of today, in any zone. */
function checkDate(
  name: string,
  dateOrTime: string,
  { isPastFact }: Pick<Field, 'isPastFact'>,
  { now }: { now: string },
): void {
  const year = Number(dateOrTime.slice(0, 4));
  const isPossible = year >= FIRST_YEAR && year <= LAST_YEAR;
  if (isPastFact && (year > LAST_YEAR || (isPossible && isAfterToday(dateOrTime, now)))) {
    const message = `${name} is in the future (${dateOrTime}). Give a date up to today, which ends with ${dayFarthestAhead(now)} in the zone farthest ahead of UTC.`;
    throw invalidField(name, message);
  }
  if (isPossible) return;
  throw invalidField(name, `${name} is ${dateOf(dateOrTime)}. Give a date from ${FIRST_YEAR} to ${LAST_YEAR}.`);
}

/** Returns values with null for each date that means "no end". */
export function withoutNoEnd<Values extends object>(fields: Fields, values: Values): Values {
  const names = noEndFields(fields, values);
  return names.length === 0 ? values : { ...values, ...Object.fromEntries(names.map((name) => [name, null])) };
}

/** Returns the names of the values that mean "no end": dates such as 9999-12-31 in fields that may be empty. */
export function noEndFields(fields: Fields, values: object): string[] {
  const names = Object.entries(values)
    .filter(([, value]) => NO_END.includes(value))
    .map(([name]) => name);
  return names.filter((name) => {
    const field = fields[name];
    return field?.kind === 'date' && !field.required && !field.isPastFact;
  });
}

function isDated({ kind }: Field): boolean {
  return kind === 'date' || kind === 'time';
}
