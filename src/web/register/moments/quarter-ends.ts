import { addDays } from '../../../commands/engine/dates.ts';

const QUARTERS = 8;

/** The end of a quarter, such as 2026-09-30 of Q3 2026. */
export interface QuarterEnd {
  day: string;
  quarter: string;
}

/** Returns the last eight ends of quarters before a day, the newest first. */
export function quarterEnds(today: string): QuarterEnd[] {
  const year = Number(today.slice(0, 4));
  const current = Math.floor((Number(today.slice(5, 7)) - 1) / 3);
  return Array.from({ length: QUARTERS }, (_, index) => {
    // Quarters are counted from year 0. The first one here is the one before the current.
    const quarter = year * 4 + current - 1 - index;
    const [quarterYear, number] = [Math.floor(quarter / 4), (quarter % 4) + 1];
    const next =
      number === 4 ? `${quarterYear + 1}-01-01` : `${quarterYear}-${String(number * 3 + 1).padStart(2, '0')}-01`;
    return { day: addDays(next, -1), quarter: `Q${number} ${quarterYear}` };
  });
}
