import { type Cell, displayText } from './cell.ts';

/** What a cell means, or why it means nothing: a clause that follows the field's name and says what to give. */
export type ParsedCell<T> = { value: T } | { error: string };

const MAX_QUOTED_LENGTH = 40;

/** Begins the clause with the cell as it is seen, cut to what a line of a report can hold. */
export function cellError(cell: Cell, clause: string): { error: string } {
  const text = displayText(cell).trim().replace(/\s+/g, ' ');
  const cut = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  return { error: `"${cut}" ${clause}` };
}
