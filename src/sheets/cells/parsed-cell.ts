import { type Cell, displayText } from './cell.ts';

/** The value of a cell, or an error: a clause that follows the field's name and says what to give. */
export type ParsedCell<T> = { value: T } | { error: string };

const MAX_QUOTED_LENGTH = 40;

/** Returns an error that begins with the cell's text, cut to 40 characters. */
export function cellError(cell: Cell, clause: string): { error: string } {
  const text = displayText(cell).trim().replace(/\s+/g, ' ');
  const cut = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  return { error: `"${cut}" ${clause}` };
}
