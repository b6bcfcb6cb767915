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
  /** The value that the record adds to the figure: 1 in a count. */
  amount: number;
}

/** Returns the days on which a record with these stored keys counts in a figure; null if it never does. */
export function countedSpan({ where = [], days, sum }: FigureDefinition, keys: Keys): CountedSpan | null {
  if (keys.archived !== 0 || !matchesConditions(where, keys)) return null;
  const amount = sum === undefined ? 1 : Number(keys[sum]);
  if (days === undefined) return { from: MIN_DATE, until: MAX_DATE, amount };
  const date = keys[days.key] ?? MAX_DATE;
  if (date === MAX_DATE) return null;
  return {
    from: addDays(String(date), days.from),
    until: days.until === undefined ? MAX_DATE : addDays(String(date), days.until),
    amount,
  };
}

/** Reports the days on which a figure changes when a record's counted days change, and by how much. */
export function changeSpan(
  before: CountedSpan | null,
  after: CountedSpan | null,
  add: (day: string, difference: number) => void,
): void {
  if (before?.from === after?.from && before?.until === after?.until && before?.amount === after?.amount) return;
  if (before !== null) {
    add(before.from, -before.amount);
    if (before.until !== MAX_DATE) add(before.until, before.amount);
  }
  if (after !== null) {
    add(after.from, after.amount);
    if (after.until !== MAX_DATE) add(after.until, -after.amount);
  }
}
