import { Refusal } from '../commands/refusal.ts';

/** What stands in a cell of a spreadsheet, as its program shows it. A blank cell is no cell. */
export type Cell =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  /** `YYYY-MM-DD`. */
  | { kind: 'date'; value: string }
  /** `YYYY-MM-DDThh:mm:ss.sssZ`. Spreadsheets know no time zones: the time shown is taken as UTC. */
  | { kind: 'timestamp'; value: string }
  /** What a formula shows that failed, such as `#REF!`; `=…` is one that was never calculated. */
  | { kind: 'error'; value: string };

/** A row as it lies in the file: cells by column, from 0. */
export interface RawRow {
  /** As a spreadsheet program counts: the first is 1, blank ones count. */
  row: number;
  cells: ReadonlyMap<number, Cell>;
  /** Why the row as a whole cannot be trusted. */
  problem?: string;
}

/** A sheet that is being read; blank rows are left out. */
export interface RawSheet {
  rows: AsyncGenerator<RawRow, void, undefined>;
  /** The share that has been read, 0 to 1. */
  progress(): number;
  /** Lets go of the file, at any time and any number of times. */
  close(): void;
}

/** The most characters that the cells of one row may hold, and one cell's text. A row is held in memory; no more is. */
export const MAX_ROW_LENGTH = 1_048_576;

/** A cell as a person sees it. Numbers have 15 digits, as spreadsheet programs show them. */
export function displayText(cell: Cell): string {
  if (cell.kind === 'number') return String(Number(cell.value.toPrecision(15)));
  return cell.kind === 'boolean' ? String(cell.value).toUpperCase() : cell.value;
}

export function fileRefusal(message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('invalid_input', message, { field: 'file', ...(allowed ? { allowed } : {}) });
}

export const damagedFile = () =>
  fileRefusal('The file is damaged or no spreadsheet: open it in a spreadsheet program and save it as .xlsx or CSV.');

export const rowTooLong = (row: number) =>
  fileRefusal(
    `Row ${row} holds more than ${MAX_ROW_LENGTH} characters: is a quotation mark left open in it, or before it?`,
  );
