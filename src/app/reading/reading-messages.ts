import type { RefusalCode, RefusalDetails } from '../../commands/engine/refusal.ts';
import type { FrameworkFileOptions } from '../../library/framework-file.ts';
import type { RawRow } from '../../sheets/cells/cell.ts';
import type { Workbook } from '../../sheets/workbook.ts';

/** Requests to a reading process. It answers one after the other, about one file. */
export type ReadingRequest =
  | { type: 'open-workbook'; path: string; encoding: string | undefined }
  | { type: 'open-sheet'; index: number }
  | { type: 'read-rows' }
  | { type: 'read-framework'; path: string; options: FrameworkFileOptions };

export type ReadingAnswer =
  | { value: unknown }
  | { refusal: { code: RefusalCode; message: string; more: RefusalDetails } }
  | { fault: string };

/** Answers `open-workbook`. */
export type WorkbookSheets = Pick<Workbook, 'sheets' | 'notice'>;

/** Answers `read-rows`. Without rows, the sheet is at its end. */
export interface RowBatch {
  rows: RawRow[];
  progress: number;
}
