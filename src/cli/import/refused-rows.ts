import { type FileHandle, open } from 'node:fs/promises';
import type { RowError } from '../../import/import-rows.ts';
import { csvCell } from '../../reports/formats/report-csv.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { CommandError, type Shell } from '../command.ts';
import { LeftOutFile } from './left-out-file.ts';
import { messageText, problemText } from './problem-text.ts';

/** Refused rows listed on the screen. The report has all. */
const MAX_LISTED_ROWS = 20;

/** The files to write refused rows to. */
interface RefusedRowFiles {
  /** A CSV with a line for each error: row number, field, message. */
  report: string | null;
  /** A CSV with the rows themselves: see `LeftOutFile`. */
  leftOut: string | null;
}

/** Lists the refused rows with their errors on the screen and, on request, in files. */
export class RefusedRows {
  count = 0;

  private constructor(
    private readonly shell: Shell,
    private readonly report: FileHandle | null,
    private readonly leftOutFile: LeftOutFile | null,
  ) {}

  /** @param headers the columns of the sheet */
  static async open(shell: Shell, files: RefusedRowFiles, headers: readonly string[]): Promise<RefusedRows> {
    const report = files.report === null ? null : await open(files.report, 'w').catch(cannotWrite);
    await report?.write('row,field,message\n');
    const leftOutFile = files.leftOut === null ? null : await LeftOutFile.open(files.leftOut, headers);
    return new RefusedRows(shell, report, leftOutFile);
  }

  async add(sheetRow: SheetRow, errors: readonly RowError[]): Promise<void> {
    const { row } = sheetRow;
    this.count++;
    if (this.count <= MAX_LISTED_ROWS) {
      this.shell.err(`row ${row}: ${errors.map(problemText).join('; ')}`);
    } else if (this.count === MAX_LISTED_ROWS + 1) {
      this.shell.err(`More rows were refused. ${this.report ? 'See the report' : 'List them all with --report FILE'}.`);
    }
    const lines = errors.map((error) => `${[row, error.field, messageText(error)].map(csvCell).join(',')}\n`);
    await this.report?.write(lines.join(''));
    await this.leftOutFile?.add(sheetRow, errors);
  }

  async close(): Promise<void> {
    await this.report?.close();
    await this.leftOutFile?.close();
  }
}

function cannotWrite(): never {
  throw new CommandError('The report can’t be written. Check its name and folder.');
}
