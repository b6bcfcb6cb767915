import { type FileHandle, open } from 'node:fs/promises';
import type { RowError } from '../../import/import-rows.ts';
import { isLeftOutColumn, LEFT_OUT_COLUMNS } from '../../import/sheet/left-out-columns.ts';
import { BYTE_ORDER_MARK, csvCell } from '../../reports/formats/report-csv.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { CommandError, type Shell } from '../command.ts';

/** Refused rows listed on the screen. The report has all. */
const MAX_LISTED_ROWS = 20;

interface RefusedRowFiles {
  /** A CSV with a line for each error: row number, field, message. */
  report: string | null;
  /** A CSV with the rows themselves, all their columns and the reasons. It can be mended and imported. */
  leftOut: string | null;
}

/** The option of a hint that solves a problem in all rows, such as the meaning of a word. */
const COMMON_OPTION = /^--(?:value "[^"]*"|accepted-until DATE)/;

/** Lists the refused rows with their errors on the screen and, on request, in files. The screen shows a problem with a common option once. */
export class RefusedRows {
  private count = 0;
  /** Rows that are refused only for problems whose options were listed before. */
  private repeatedCount = 0;
  private readonly commonOptions = new Set<string>();

  private constructor(
    private readonly shell: Shell,
    private readonly headers: readonly string[],
    private readonly report: FileHandle | null,
    private readonly leftOut: FileHandle | null,
  ) {}

  /** @param headers the columns of the sheet */
  static async open(shell: Shell, files: RefusedRowFiles, headers: readonly string[]): Promise<RefusedRows> {
    const report = await openFile(files.report, 'The report can’t be written. Check its name and folder.');
    await report?.write('row,field,message\n');
    const leftOut = await openFile(
      files.leftOut,
      'The file for --left-out can’t be written. Check its name and folder.',
    );
    const sheetHeaders = headers.filter((header) => !isLeftOutColumn(header));
    await leftOut?.write(BYTE_ORDER_MARK + lineOf([...sheetHeaders, ...LEFT_OUT_COLUMNS], '\r\n'));
    return new RefusedRows(shell, sheetHeaders, report, leftOut);
  }

  async add({ row, cells }: SheetRow, errors: readonly RowError[]): Promise<void> {
    const problems = errors.map(problemText).join('; ');
    this.list(row, errors);
    const lines = errors.map((error) => lineOf([String(row), error.field, messageText(error)], '\n'));
    await this.report?.write(lines.join(''));
    const texts = this.headers.map((header) => {
      const cell = cells.get(header);
      return cell === undefined ? '' : displayText(cell);
    });
    await this.leftOut?.write(lineOf([...texts, String(row), problems], '\r\n'));
  }

  private list(row: number, errors: readonly RowError[]): void {
    const news = errors.filter((error) => {
      const option = optionOf(error);
      return option === undefined || !this.commonOptions.has(option);
    });
    for (const error of errors) this.commonOptions.add(optionOf(error) ?? '');
    if (news.length === 0) this.repeatedCount++;
    else if (++this.count <= MAX_LISTED_ROWS) this.shell.err(`row ${row}: ${news.map(problemText).join('; ')}`);
    else if (this.count === MAX_LISTED_ROWS + 1) {
      this.shell.err(`More rows were refused. ${this.report ? 'See the report' : 'List them all with --report FILE'}.`);
    }
  }

  /** Lists the options once more, as one command line can have them all. */
  listOptions(): void {
    const options = [...this.commonOptions].filter((option) => option !== '');
    if (this.repeatedCount > 0)
      this.shell.err(`More rows with only such problems were refused: ${this.repeatedCount}.`);
    if (options.length > 1) this.shell.err(`These options solve such problems: ${options.join(' ')}`);
  }

  async close(): Promise<void> {
    await this.report?.close();
    await this.leftOut?.close();
  }
}

function openFile(path: string | null, problem: string): Promise<FileHandle> | null {
  if (path === null) return null;
  return open(path, 'w').catch(() => {
    throw new CommandError(problem);
  });
}

const lineOf = (texts: readonly string[], end: string): string => texts.map((text) => csvCell(text)).join(',') + end;

const optionOf = ({ hint }: RowError): string | undefined => COMMON_OPTION.exec(hint ?? '')?.[0];

/** Returns a row's problem as a sentence. Some messages are clauses that follow the field's name. */
function problemText(error: RowError): string {
  const message = messageText(error);
  const isSentence = error.field === '' || /^\p{Lu}/u.test(message) || message.startsWith(`${error.field} `);
  return isSentence ? message : `${error.field} ${message}`;
}

/** Returns a problem without its field. */
function messageText({ message, hint }: RowError): string {
  return hint ? `${message} (${hint})` : message;
}
