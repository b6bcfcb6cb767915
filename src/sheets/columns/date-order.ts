import { type Cell, displayText } from '../cells/cell.ts';
import type { DateOrder } from '../cells/cell-dates.ts';

const NUMBERS = /^(\d{1,2})[-/] ?(\d{1,2})[-/] ?\d{4}\b/;
const SHORT_YEAR = /^\d{1,2}[-/] ?\d{1,2}[-/] ?\d{2}$/;
const MONTHS = 12;

/**
 * Returns the order of day and month that the cells of a column prove: 31/12/2026 has the day first. Null if no cell does,
 * or if two contradict each other.
 */
export function provenDateOrder(cells: readonly Cell[]): { order: DateOrder; proof: string } | null {
  const proofs = new Map<DateOrder, string>();
  for (const cell of cells) {
    if (cell.kind !== 'text') continue;
    const text = displayText(cell).trim();
    const [, first, second] = NUMBERS.exec(text) ?? [];
    if (first === undefined || second === undefined) continue;
    if (Number(first) > MONTHS && Number(second) <= MONTHS) proofs.set('dmy', text);
    if (Number(second) > MONTHS && Number(first) <= MONTHS) proofs.set('mdy', text);
  }
  const [proof, contradiction] = proofs;
  return proof === undefined || contradiction !== undefined ? null : { order: proof[0], proof: proof[1] };
}

/** Returns true for a date whose day and month could be exchanged, such as 03/04/2026, or whose year could be a day. */
export function isAmbiguousDate(cell: Cell): boolean {
  if (cell.kind !== 'text') return false;
  const text = displayText(cell).trim();
  if (SHORT_YEAR.test(text)) return true;
  const [, first, second] = NUMBERS.exec(text) ?? [];
  return first !== undefined && first !== second && Number(first) <= MONTHS && Number(second) <= MONTHS;
}
