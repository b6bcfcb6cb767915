import type { ColumnReader } from '../../sheets/columns/column-reader.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import type { CrosswalkSummary } from '../crosswalk/crosswalk-import.ts';
import type { RowError } from '../import-rows.ts';
import type { Notes } from './notes.ts';

/** Receives what happens during an import. */
export interface RowImportListener {
  leftOut(row: SheetRow, problems: readonly RowError[]): Promise<void>;
  /** Receives the number of rows so far, after each chunk. */
  progress(rows: number): void;
}

/** The outcome of an import: counts of rows, records and links, and what a person should know. */
export interface RowImportResult
  extends Record<'rows' | 'leftOut' | 'created' | 'updated' | 'unchanged' | 'links', number> {
  notes: Notes;
  /** Only of a crosswalk. The counts of its pairs stand for those of records. */
  crosswalks?: readonly CrosswalkSummary[];
}

/** An import of a sheet's rows whose columns are matched. Wrong rows are left out. */
export interface RowImport {
  readonly columns: ColumnReader;
  readonly changesRecords: boolean;
  /** A field that every row needs and that no column fills; null if there is none. */
  readonly missingField: string | null;
  /** Imports all rows. @throws Refusal unavailable when the store is down. The same import again resumes it. */
  run(listener: RowImportListener): Promise<RowImportResult>;
}
