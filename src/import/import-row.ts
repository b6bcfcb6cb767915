import type { Rehearsal } from '../commands/engine/handler.ts';
import type { ImportOrigin } from '../commands/import-origin.ts';
import type { WrittenChange } from '../queries/changes/written-changes.ts';
import type { FamilyName } from '../register/families.ts';
import type { BulkItem } from '../tools/bulk-write.ts';
import type { RowError } from './import-rows.ts';

/*
 * Rows go through the steps of an import: read, recognize, rehearse, write. Each step returns other values and changes none.
 */

type Values = Readonly<Record<string, unknown>>;

/** One row of a call: the command on its record. */
export interface CommandRow {
  /** The row's index in the call, from 0. */
  readonly row: number;
  readonly type: FamilyName;
  /** The id of the record that it adds or changes. Absent if the row can't be read. */
  readonly id?: string;
  /** The record's name, if the call selected the record instead of having a row for it. */
  readonly name?: string;
  /** True if the row changes a record, false if it adds one. */
  readonly isUpdate: boolean;
  /** The revision that the record must have. By default any. */
  readonly expectedRevision?: number;
  /** The row adds a record whose stream is presumed not to exist. */
  readonly isPresumedNew?: boolean;
  /** The id that follows from the cells of a spreadsheet's row. */
  readonly rowId?: string;
  /** The row's normalized fields, without defaults. */
  readonly fields: Values;
  /** The fields with the words of a spreadsheet, such as an owner's name. */
  readonly given: Values;
  /** The row and the file that it was read from. */
  readonly source: ImportOrigin['source'];
}

/** One row of an import: its command, and what recognizes it. */
export interface ImportRow extends CommandRow {
  /** The row's number for people: in its spreadsheet, or else its index in the call. */
  readonly number: number;
  /** Other ids under which a row of a spreadsheet may have been imported. */
  readonly otherIds: readonly string[];
  /** The row as it was given. */
  readonly input: Values;
  /** Equal for rows with equal fields. */
  readonly content: string;
  /** The name of a person without an account who made a past decision. `fields` don't have it. */
  readonly personName?: string;
  readonly hasWrongCells?: true;
}

/** A record, or a row by the id that its record would have. */
export interface SimilarRecord {
  id: string;
  name: string | null;
}

export interface Refused<Row extends CommandRow = CommandRow> {
  readonly row: Row;
  readonly errors: readonly RowError[];
  readonly moreErrors?: number;
}

/** A row whose command was rehearsed or executed. */
export interface Accepted<Row extends CommandRow = CommandRow> {
  readonly row: Row;
  readonly result: 'CREATED' | 'UPDATED' | 'UNCHANGED';
  /** The fields that the command changes on an existing record. */
  readonly changes: readonly WrittenChange[];
  /** The command to execute. Null if the row was imported before, from the same cells, with other values. */
  readonly item: BulkItem | null;
  /** Absent without a command. */
  readonly rehearsal?: Rehearsal;
  /** The account of an owner that the row names by a word. */
  readonly ownerId?: string | undefined;
  /** Records and rows that look like this one. Searched for only in a dry run, or on request. */
  readonly similar?: readonly SimilarRecord[];
}

/** A row that was read: with errors, or to be rehearsed. */
export type Read = Refused<ImportRow> | { readonly row: ImportRow };

export type Rehearsed<Row extends CommandRow = CommandRow> = Refused<Row> | Accepted<Row>;

/** A row of an answer. A duplicate has the outcome of an earlier row with the same content. */
export type Answered = Rehearsed | { readonly row: CommandRow; readonly first: Rehearsed };

export const isRefused = <Row extends CommandRow>(row: { readonly row: Row }): row is Refused<Row> => 'errors' in row;
