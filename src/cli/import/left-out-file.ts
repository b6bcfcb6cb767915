import { type FileHandle, open } from 'node:fs/promises';
import type { RowError } from '../../import/import-rows.ts';
import { LEFT_OUT_COLUMNS } from '../../import/sheet/left-out-columns.ts';
import { BYTE_ORDER_MARK, csvCell } from '../../reports/formats/report-csv.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { CommandError } from '../command.ts';
import { problemText } from './problem-text.ts';

/** A CSV with the rows that were left out, with all their columns and the reasons. It can be mended and imported. */
export class LeftOutFile {
  private constructor(
    private readonly file: FileHandle,
    private readonly headers: readonly string[],
  ) {}

  static async open(path: string, headers: readonly string[]): Promise<LeftOutFile> {
    const file = await open(path, 'w').catch(() => {
      throw new CommandError('The file for --left-out can’t be written. Check its name and folder.');
    });
    const sheetHeaders = headers.filter((header) => !(LEFT_OUT_COLUMNS as readonly string[]).includes(header));
    await file.write(BYTE_ORDER_MARK + lineOf([...sheetHeaders, ...LEFT_OUT_COLUMNS]));
    return new LeftOutFile(file, sheetHeaders);
  }

  async add({ row, cells }: SheetRow, problems: readonly RowError[]): Promise<void> {
    const texts = this.headers.map((header) => {
      const cell = cells.get(header);
      return cell === undefined ? '' : displayText(cell);
    });
    await this.file.write(lineOf([...texts, String(row), problems.map(problemText).join('; ')]));
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

function lineOf(texts: readonly string[]): string {
  return `${texts.map(csvCell).join(',')}\r\n`;
}
