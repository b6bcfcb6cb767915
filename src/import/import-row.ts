import type { CommandRow } from './import-answer.ts';
import type { RowReader } from './import-rows.ts';
import type { RowCall } from './row-commands.ts';

/** One import, with the values that all its rows share. */
export interface ImportCall extends RowCall {
  reader: RowReader;
  /** The organization's secret key, from which the ids of new records are derived. */
  importKey: string;
}

/** One row of an import: its command, and what recognizes it. */
export interface ImportRow extends CommandRow {
  /** The row's number for people: in its spreadsheet, or else its index in the call. */
  number: number;
  /** Other ids under which a row of a spreadsheet may have been imported. */
  otherIds: readonly string[];
  /** The row as it was given. */
  input: Readonly<Record<string, unknown>>;
  /** Equal for rows with equal fields. */
  content: string;
  /** The name of a person without an account who made a past decision. `fields` don't have it. */
  personName?: string;
  /** The spreadsheet's row has cells that can't be read. */
  hasWrongCells?: true;
  /** The row changes a record that it doesn't name by id. */
  isChangeOfMatch?: true;
}
