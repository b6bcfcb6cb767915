import { type Cell, shown } from './cell.ts';

/** What a cell means, or why it means nothing: a clause that follows the field's name and says what to give. */
export type Spelled<T> = { value: T } | { error: string };

const LONGEST_QUOTE = 40;

/** Begins the clause with the cell as it is seen, cut to what a line of a report can hold. */
export function refused(cell: Cell, clause: string): { error: string } {
  const text = shown(cell).trim().replace(/\s+/g, ' ');
  const cut = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return { error: `"${cut}" ${clause}` };
}
