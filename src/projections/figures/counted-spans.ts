import { addDays, MAX_DATE, MIN_DATE } from '../../commands/engine/dates.ts';
import type { Scalar } from '../../stores/read-store.ts';
import { matchesConditions } from '../read-models/matches-conditions.ts';
import type { FigureDefinition } from './figure-definitions.ts';

type Keys = Readonly<Record<string, Scalar | null>>;

/** Days on which a record counts, if it stays as it is: from the first one until before `until`. */
export interface CountedSpan {
  from: string;
  /** MAX_DATE: it never stops. */
  until: string;
}

const EVERY_DAY: CountedSpan = { from: MIN_DATE, until: MAX_DATE };

/** Returns the days on which a record with these stored keys counts in a figure; null if it never does. */
export function countedSpan({ where = [], days }: FigureDefinition, keys: Keys): CountedSpan | null {
  if (keys.archived !== 0 || !matchesConditions(where, keys)) return null;
  if (days === undefined) return EVERY_DAY;
  const date = keys[days.key] ?? MAX_DATE;
  if (date === MAX_DATE) return null;
  return {
    from: addDays(String(date), days.from),
    until: days.until === undefined ? MAX_DATE : addDays(String(date), days.until),
  };
}

/**
 * Reports the days on which a figure changes when a record's counted days change. The difference is 1 on the day from
 * which the record counts, and -1 on the day from which it doesn't.
 */
export function changeSpan(
  before: CountedSpan | null,
  after: CountedSpan | null,
  add: (day: string, difference: 1 | -1) => void,
): void {
  if (before?.from === after?.from && before?.until === after?.until) return;
  if (before !== null) {
    add(before.from, -1);
    if (before.until !== MAX_DATE) add(before.until, 1);
  }
  if (after !== null) {
    add(after.from, 1);
    if (after.until !== MAX_DATE) add(after.until, -1);
  }
}
