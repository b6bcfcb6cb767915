import type { Fields } from '../../register/field.ts';
import { endOfDay, isRealDate } from './dates.ts';

/*
 * A date without a time of day, such as the day of a review, was once stored as a time: the start of the day, and in
 * VendorReviewed its end. Since schema version 2 these events have the date.
 */

const startOfDay = (date: string): string => `${date}T00:00:00.000Z`;
const LENGTH_OF_DATE = '2026-01-01'.length;

/** Returns a date as the time that an earlier version wrote for it. */
export type DateAsTime = typeof startOfDay | typeof endOfDay;

/** Returns the upcaster of events that wrote the date of this member as a time. Any other time stays what it was. */
export function readDate(member: string, asTime: DateAsTime = startOfDay) {
  return (data: Record<string, unknown>): Record<string, unknown> => {
    const time = data[member];
    const date = typeof time === 'string' ? time.slice(0, LENGTH_OF_DATE) : '';
    return isRealDate(date) && time === asTime(date) ? { ...data, [member]: date } : data;
  };
}

/** Returns how earlier versions wrote the dates of a record's fields. They wrote that of a vendor's own review as its end. */
export function dateAsTimeIn({ review, imported }: Readonly<Record<string, unknown>>): DateAsTime {
  return review && !imported ? endOfDay : startOfDay;
}

/** Returns a record's fields, or a row's, with dates as earlier versions wrote them, where a field takes a time. */
export function withDatesAsTimes<Values extends Readonly<Record<string, unknown>>>(
  fields: Fields,
  values: Values,
  asTime: DateAsTime = dateAsTimeIn(values),
): Values {
  const entries = Object.entries(values).map(([name, value]) => [name, dateAsTime(fields[name], value, asTime)]);
  return Object.fromEntries(entries) as Values;
}

/** Returns one field's value with dates as earlier versions wrote them. */
export function dateAsTime(field: Fields[string] | undefined, value: unknown, asTime: DateAsTime): unknown {
  if (field?.kind === 'time' && typeof value === 'string') return isRealDate(value) ? asTime(value) : value;
  if (field?.kind !== 'object' || typeof value !== 'object' || value === null) return value;
  return withDatesAsTimes(field.fields, value as Record<string, unknown>, asTime);
}
