import { type FileHandle, open } from 'node:fs/promises';
import type { RowError } from '../mcp/import-rows.ts';
import { csvCell } from '../queries/report/render/csv.ts';
import { CommandError, type Shell } from './command.ts';

/** Refused rows that are listed on the screen; the rest is in the report. */
const LISTED = 20;

/** Says which rows were refused and why: on the screen, and in a CSV where one is asked for. */
export class RefusedRows {
  count = 0;

  private constructor(
    private readonly shell: Shell,
    private readonly file: FileHandle | null,
  ) {}

  /** @param path of the CSV with a line for each error: the row as a spreadsheet counts, the field, the message */
  static async open(shell: Shell, path: string | null): Promise<RefusedRows> {
    const file = path === null ? null : await open(path, 'w').catch(cannotWrite);
    await file?.write('row,field,message\n');
    return new RefusedRows(shell, file);
  }

  async add(row: number, errors: readonly RowError[]): Promise<void> {
    this.count++;
    if (this.count <= LISTED) {
      this.shell.err(`row ${row}: ${errors.map(sentence).join('; ')}`);
    } else if (this.count === LISTED + 1) {
      this.shell.err(`More rows are refused${this.file ? ': see the report' : '; --report FILE lists them all'}.`);
    }
    const lines = errors.map((error) => `${[row, error.field, plain(error)].map(csvCell).join(',')}\n`);
    await this.file?.write(lines.join(''));
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}

function cannotWrite(): never {
  throw new CommandError('The report cannot be written: check its name and folder.');
}

/** A message is a clause that follows its field's name, or a sentence of its own. */
function sentence(error: RowError): string {
  const message = plain(error);
  return error.field === '' || /^\p{Lu}/u.test(message) ? message : `${error.field} ${message}`;
}

function plain({ message, hint }: RowError): string {
  return hint ? `${message} (${hint})` : message;
}

/** Longest text that is repeated from a cell (characters). */
const MOST_REPEATED = 80;

/** Sheets have owners' names and addresses where fields take accounts: says what stood there, and where accounts are. */
export function namingAccounts(
  errors: readonly RowError[],
  values: Readonly<Record<string, unknown>>,
  accounts: ReadonlySet<string>,
): RowError[] {
  return errors.map((error) => {
    const value = values[error.field];
    if (!accounts.has(error.field) || typeof value !== 'string') return error;
    const clause = error.message.replace(`${error.field} is `, 'is ');
    const shown = [...value].slice(0, MOST_REPEATED).join('');
    return { ...error, message: `"${shown}" ${clause}`, hint: '"veritrail member list" lists the members' };
  });
}
