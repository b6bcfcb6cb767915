import { resolve } from 'node:path';
import type { parseArgs } from 'node:util';
import { readColumnMap } from '../../sheets/columns/match-columns.ts';
import * as field from '../../tools/schema/fields.ts';
import { onlyArgument, type Shell, textOption, UsageError } from '../command.ts';
import { headingRowOption } from './heading-row-option.ts';

/** The options of a command that imports the rows of a sheet, for `parseArgs`. */
export const ROW_IMPORT_OPTIONS = {
  map: { type: 'string', multiple: true, default: [] as string[] },
  ignore: { type: 'string', multiple: true, default: [] as string[] },
  value: { type: 'string', multiple: true, default: [] as string[] },
  sheet: { type: 'string' },
  'header-row': { type: 'string' },
  encoding: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  reason: { type: 'string' },
  report: { type: 'string' },
  'left-out': { type: 'string' },
  organization: { type: 'string' },
  account: { type: 'string' },
} as const;

/** The help of those options that mean the same in every such command. */
export const ROW_IMPORT_HELP = `\
  --sheet NAME          the sheet of a workbook (default: the visible one whose headings name the most fields)
  --header-row NUMBER   the row that names the columns (default: the one that names the most fields). 0 if there is
                        none: the columns are A, B and so on
  --encoding NAME       the encoding of a CSV, such as windows-1250 (default: UTF-8, UTF-16 or windows-1252)
  --dry-run             checks every row and writes nothing
  --yes                 changes more than 5 existing records without asking. Otherwise the command shows the dry run and
                        asks; without a terminal it ends with 1 before it writes
  --reason TEXT         the reason, for auditors. By default each change names its row and the file
  --report FILE         writes the refused rows as CSV: row, field, message
  --left-out FILE       writes the refused rows as CSV with all their columns and the reasons. Fix and import it
  --organization ID     the organization (default: the only one)
  --account ID          the member who imports (default: the organization's OWNER)`;

type RowImportValues = ReturnType<typeof parseArgs<{ options: typeof ROW_IMPORT_OPTIONS }>>['values'];

/** Reads those options, and the FILE. @throws UsageError */
export function readRowImportOptions(values: RowImportValues, positionals: string[], { cwd }: Pick<Shell, 'cwd'>) {
  const path = resolve(cwd, onlyArgument(positionals, 'the FILE to import'));
  const writtenFile = (option: 'report' | 'left-out') => {
    const file = values[option] ? resolve(cwd, values[option]) : null;
    if (file === path) throw new UsageError(`--${option} would overwrite the FILE. Choose another name.`);
    return file;
  };
  return {
    path,
    report: writtenFile('report'),
    leftOut: writtenFile('left-out'),
    map: readColumnMap(values.map),
    ignored: values.ignore,
    value: values.value,
    sheet: values.sheet,
    headingRow: headingRowOption(values['header-row']),
    encoding: values.encoding,
    dryRun: values['dry-run'],
    isConfirmed: values.yes,
    reason: textOption('--reason', field.reason(), values.reason),
    organization: values.organization,
    account: values.account,
  };
}

/** The options that mean the same for all rows. The others say how their columns are read. */
export type RowImportOptions = Omit<ReturnType<typeof readRowImportOptions>, 'map' | 'ignored' | 'value'>;
