import type { RawSheet } from './cells/cell.ts';

/** A spreadsheet file with its sheets. A CSV has one, without a name. */
export interface Workbook {
  /** In their order. Hidden sheets come with `visible: false`. */
  sheets: readonly { name: string; visible: boolean }[];
  /** A sentence about a guess, such as the encoding. */
  notice?: string;
  /** Opens a sheet by its place. Only one sheet can be open; opening another closes it. */
  open(index: number): Promise<RawSheet>;
  /** Closes the file. May be called at any time, and more than once. */
  close(): void;
}

/**
 * Opens a spreadsheet. `openWorkbook` reads it here, `openWorkbookInProcess` in a process of its own.
 * @param encoding of a CSV that isn't in UTF-8, such as windows-1252
 */
export type OpenWorkbook = (path: string, encoding?: string) => Promise<Workbook>;
