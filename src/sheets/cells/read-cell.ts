import { type Cell, cellError, displayText, type ParsedCell } from './cell.ts';
import { type DateOrder, dateFrom, timestampFrom } from './cell-dates.ts';
import { enumFrom } from './cell-enums.ts';

/** A field of a record that a column can fill. */
export type SheetField = { name: string } & (
  | { kind: 'text' | 'date' | 'timestamp' | 'boolean' | 'number' }
  | { kind: 'enum'; values: readonly string[] }
);

/** A value as the tools accept it: dates and timestamps are texts. */
export type FieldValue = string | number | boolean;

const TRUE = ['yes', 'y', 'true', '1', 'x'];
const FALSE = ['no', 'n', 'false', '0'];

/**
 * Reads a cell as a field's value, in the spellings that people use in spreadsheets. A blank cell is `undefined`. An
 * ambiguous cell is an error.
 */
export function readCell(
  cell: Cell | undefined,
  field: SheetField,
  order?: DateOrder,
): ParsedCell<FieldValue | undefined> {
  if (cell === undefined || displayText(cell).trim() === '') return { value: undefined };
  if (cell.kind === 'error')
    return cellError(
      cell,
      'is a formula that failed or was never calculated. Fix it in a spreadsheet program, or give the value',
    );
  switch (field.kind) {
    case 'text':
      return { value: textFrom(cell) };
    case 'date':
      return dateFrom(cell, order);
    case 'timestamp':
      return timestampFrom(cell, order);
    case 'boolean':
      return booleanFrom(cell);
    case 'number':
      return wholeNumberFrom(cell);
    case 'enum':
      return enumFrom(cell, field.values);
  }
}

function textFrom(cell: Cell): string {
  return displayText(cell).replace(/\r\n?/g, '\n').trim();
}

/** Reads yes and no in English, or a cross. A blank cell is not "no": the question may still be open. */
function booleanFrom(cell: Cell): ParsedCell<boolean> {
  const word = displayText(cell).trim().toLowerCase();
  if (TRUE.includes(word)) return { value: true };
  if (FALSE.includes(word)) return { value: false };
  return cellError(cell, 'is neither yes nor no. Give one of them, or leave it empty');
}

/** Reads a whole number, also with a name: "4 - Likely" or "4 (likely)". */
function wholeNumberFrom(cell: Cell): ParsedCell<number> {
  const text = cell.kind === 'text' || cell.kind === 'number' ? displayText(cell).trim() : '';
  const number = /^(-?\d{1,15})(?:\.0+)?(?:\s*[-–—:=]\s*\p{L}.*|\s*\(\s*\p{L}.*\))?$/su.exec(text)?.[1];
  if (number === undefined) return cellError(cell, 'is not a whole number. Give one such as 4, or 4 - Likely');
  return { value: Number(number) };
}
