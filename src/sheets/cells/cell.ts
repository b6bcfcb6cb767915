import { Refusal } from '../../commands/engine/refusal.ts';

/** A cell that isn't blank, as the spreadsheet program shows it. */
export type Cell =
  | { kind: 'text'; value: string }
  /** `shown` is the text that the cell's format makes of it, such as 5.10 or 40%, if it isn't the number's own. */
  | { kind: 'number'; value: number; shown?: string }
  | { kind: 'boolean'; value: boolean }
  /** `YYYY-MM-DD`. */
  | { kind: 'date'; value: string }
  /** `YYYY-MM-DDThh:mm:ss.sssZ`. Spreadsheets have no time zones, so the time counts as UTC. */
  | { kind: 'timestamp'; value: string }
  /** The error of a formula, such as `#REF!`. `=…` is a formula that was never calculated. */
  | { kind: 'error'; value: string };

/** A row of the file, with its cells by column, from 0. */
export interface RawRow {
  /** The number in a spreadsheet program: the first row is 1, and blank rows count. */
  row: number;
  cells: ReadonlyMap<number, Cell>;
  /** Columns whose cells are results of formulas. */
  computed?: ReadonlySet<number>;
  /** The number of cells in a line of a CSV, with blank ones. */
  width?: number;
  /** A reason not to trust the row: a clause that follows "row 7". */
  problem?: string;
}

/** A sheet that is being read. Blank rows are left out. */
export interface RawSheet {
  rows: AsyncGenerator<RawRow, void, undefined>;
  /** The share that has been read, 0 to 1. */
  progress(): number;
  /** Closes the file. May be called at any time, and more than once. */
  close(): void;
}

/** Maximum number of characters of a row, and of a single cell. Only one row is in memory at a time. */
export const MAX_ROW_CHARACTERS = 1_048_576;
const MAX_QUOTED_LENGTH = 40;

/**
 * Returns a cell's text as a person sees it. Numbers are rounded to 15 significant digits, as in spreadsheet
 * programs.
 */
export function displayText(cell: Cell): string {
  if (cell.kind === 'number') return String(Number(cell.value.toPrecision(15)));
  return cell.kind === 'boolean' ? String(cell.value).toUpperCase() : cell.value;
}

/** The value of a cell, or an error: a clause that follows the field's name and says what to give. */
export type ParsedCell<T> = { value: T } | { error: string };

/** Returns an error that begins with the cell's text, cut to 40 characters. */
export function cellError(cell: Cell, clause: string): { error: string } {
  const text = displayText(cell).trim().replace(/\s+/g, ' ');
  const cut = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  return { error: `"${cut}" ${clause}` };
}

export function fileRefusal(message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('invalid_input', message, { field: 'file', ...(allowed ? { allowed } : {}) });
}

export const damagedFile = () =>
  fileRefusal(
    'The file is damaged or not a spreadsheet. Open it in a spreadsheet program and save it as .xlsx or CSV.',
  );

export const rowTooLong = (row: number) =>
  fileRefusal(
    `Row ${row} has more than ${MAX_ROW_CHARACTERS} characters. Look for an opening quotation mark without a closing one, in this row or above it.`,
  );
