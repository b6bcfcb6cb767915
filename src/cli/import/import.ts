import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { importTool } from '../../mcp/import/import-tool.ts';
import * as field from '../../mcp/schema/fields.ts';
import type { WriteService } from '../../mcp/tools/tool.ts';
import type { DateOrder } from '../../sheets/cells/cell-dates.ts';
import { matchColumns, readColumnMap } from '../../sheets/match-columns.ts';
import { readSheet } from '../../sheets/read-sheet.ts';
import { readImportRows } from '../../sheets/sheet-rows.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, onlyArgument, UsageError } from '../command.ts';
import { ProgressBar } from '../progress.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import {
  IMPORTABLE_TYPES,
  importFields,
  readerFor,
  requireColumns,
  textOption,
  unusedColumnsText,
} from './import-fields.ts';
import { ImportRun, ROWS_PER_WRITE } from './import-run.ts';
import { RefusedRows } from './refused-rows.ts';

export const importFile: Command = {
  help: `Usage: veritrail import FILE --type TYPE [options]

Creates a record for each row of a spreadsheet. FILE is a CSV or XLSX whose first row names the columns. The service may be
running. A column fills the field with the same name: "Next review due" fills next_review_due. Map other columns. The
fields are those of the type's tools. Dates, yes and no, and values such as "in progress" may be written as people write
them. Ambiguous values are refused.

Importing the same file again writes nothing twice, so repeat an interrupted import to finish it. A row that was imported
before is recognized by its reference_id, or else by its content, even if the record has changed since. Wrong rows are
listed and left out; the others are imported, and the exit code is 1. Unlike the importRecords tool, one bad row does not
reject the whole file. Use --dry-run first if that matters. A dry run does not detect that two rows contradict each other
if they are more than ${ROWS_PER_WRITE} rows apart.

  --type TYPE           ${IMPORTABLE_TYPES.join(', ')}
  --map FIELD=COLUMN    the column of a field, such as name=Supplier; may be repeated. With id=COLUMN, a row with an
                        id changes that record (the only way for controls); an empty cell changes nothing
  --dates dmy|mdy       day or month first in dates such as 03/04/2026, which are refused without it
  --sheet NAME          the sheet of a workbook (default: the first visible one)
  --dry-run             checks every row and writes nothing
  --reason TEXT         the reason, for auditors; some rows need one (a vendor that is SUSPENDED)
  --report FILE         writes the refused rows as CSV: row, field, message
  --organization ID     the organization (default: the only one)
  --account ID          the member who imports (default: the organization's OWNER)`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        type: { type: 'string' },
        map: { type: 'string', multiple: true, default: [] },
        dates: { type: 'string' },
        sheet: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        reason: { type: 'string' },
        report: { type: 'string' },
        organization: { type: 'string' },
        account: { type: 'string' },
      },
    });
    const path = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to import'));
    if (!values.type) throw new UsageError('Give the type of the rows, such as --type vendors.');
    const { type, sheet: name, 'dry-run': dry_run } = values;
    const reason = textOption('--reason', field.reason(), values.reason);
    const map = readColumnMap(values.map);
    const dates = dateOrderOf(values.dates);
    const report = values.report === undefined ? null : resolve(shell.cwd, values.report);
    if (report === path) throw new UsageError('--report would overwrite the FILE. Choose another name.');
    await withInstallation(shell, async (stores) => {
      const organization_id = values.organization ?? stores.organizationId;
      const caller = await callerFor(stores, 'import', organization_id, values.account);
      const context = { service: writeService(stores), caller, tool: importTool };
      const reader = readerFor(type);
      const importable = importFields(reader, map.has('id'));
      const { fields, listFields, accountFields } = importable;
      const input = { organization_id, dry_run, ...(reason ? { reason } : {}) };
      const sheet = await readSheet(path, name === undefined ? {} : { sheet: name });
      const refusedRows = await RefusedRows.open(shell, report).catch((error: unknown) => {
        sheet.close();
        throw error;
      });
      const bar = new ProgressBar(shell, 'rows');
      const run = new ImportRun({ context, reader, listFields, accountFields, input, refused: refusedRows, bar });
      try {
        const columns = matchColumns(sheet.headers, fields, map);
        requireColumns(importable, columns.headerOf);
        const unused = unusedColumnsText(importable, columns);
        if (unused !== null) shell.err(unused);
        await run.all(
          readImportRows(sheet, fields, { headerByField: map, ...(dates ? { dateOrder: dates } : {}) }),
          () => sheet.progress(),
        );
      } finally {
        bar.clear();
        sheet.close();
        await refusedRows.close();
      }
      shell.out(run.summary());
      if (refusedRows.count > 0) {
        throw new CommandError('Some rows were refused. Fix them and run it again. No row is written twice.');
      }
    });
  },
};

function dateOrderOf(text: string | undefined): DateOrder | undefined {
  if (text === undefined || text === 'dmy' || text === 'mdy') return text;
  throw new UsageError('--dates takes dmy or mdy.');
}

/** Returns the service for an import. It waits for no read models: a running service projects what the import writes. */
function writeService({ handler }: OpenInstallation): WriteService {
  return { handler, waitUntilProjected: () => Promise.resolve(true), writeWaitMs: 0 };
}
