import { type FileHandle, open } from 'node:fs/promises';
import type { RowError } from '../../mcp/import/import-rows.ts';
import { csvCell } from '../../reports/formats/report-csv.ts';
import { CommandError, type Shell } from '../command.ts';
import { messageText, problemText } from './problem-text.ts';

/** Refused rows listed on the screen. The report has all. */
const MAX_LISTED_ROWS = 20;

/** Lists the refused rows with their errors on the screen and, on request, in a CSV. */
export class RefusedRows {
  count = 0;

  private constructor(
    private readonly shell: Shell,
    private readonly file: FileHandle | null,
  ) {}

  /** @param path of the CSV with a line for each error: row number, field, message */
  static async open(shell: Shell, path: string | null): Promise<RefusedRows> {
    const file = path === null ? null : await open(path, 'w').catch(cannotWrite);
    await file?.write('row,field,message\n');
    return new RefusedRows(shell, file);
  }

  async add(row: number, errors: readonly RowError[]): Promise<void> {
    this.count++;
    if (this.count <= MAX_LISTED_ROWS) {
      this.shell.err(`row ${row}: ${errors.map(problemText).join('; ')}`);
    } else if (this.count === MAX_LISTED_ROWS + 1) {
      this.shell.err(`More rows were refused. ${this.file ? 'See the report' : 'List them all with --report FILE'}.`);
    }
    const lines = errors.map((error) => `${[row, error.field, messageText(error)].map(csvCell).join(',')}\n`);
    await this.file?.write(lines.join(''));
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}

function cannotWrite(): never {
  throw new CommandError('The report can’t be written. Check its name and folder.');
}
