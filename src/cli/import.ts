import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allTools } from '../mcp/all-tools.ts';
import type { ToolService as Tools } from '../mcp/define-tool.ts';
import * as field from '../mcp/fields.ts';
import { rowReaders } from '../mcp/import-rows.ts';
import { matchColumns, readMap } from '../sheets/columns.ts';
import { readSheet } from '../sheets/read.ts';
import { importRows } from '../sheets/rows.ts';
import type { DateOrder } from '../sheets/spelled-dates.ts';
import { callerFor } from './caller.ts';
import { type Command, CommandError, onlyArgument, UsageError } from './command.ts';
import { importFields, readerFor, requireColumns, unusedText } from './import-fields.ts';
import { RefusedRows } from './import-report.ts';
import { CHUNK, ImportRun } from './import-run.ts';
import { type Service, withInstallation } from './open.ts';
import { ProgressBar } from './progress.ts';
import { textOption } from './text-option.ts';

export const importFile: Command = {
  help: `Usage: veritrail import FILE --type TYPE [options]

Makes a record of each row of a spreadsheet (CSV or XLSX; the first row names the columns), also beside a running
service. A column fills the field it is called after ("Next review due" fills next_review_due); map the others.
The fields are those of the type's tools. Dates, yes and no, and values such as "in progress" are understood as people
write them; what could mean two things is refused.

The same file again writes nothing twice, so an import that was cut off is finished by repeating it. A row that was
imported before is known by its reference_id, or else by its content, also when its record has been changed since.
Rows that are wrong are refused, listed, and left out; the others go in, and the exit code is 1. A file with one wrong
row is so not refused as a whole, as importRecords refuses a call: use --dry-run first where that matters. A dry run
does not see that two rows more than ${CHUNK} rows apart contradict each other.

  --type TYPE           risks, vendors, measures, obligations, nonconformities, audits, evidence or controls
  --map FIELD=COLUMN    the column of a field, such as name=Supplier; may be repeated. With id=COLUMN a row that has
                        an id changes that record (controls only so); an empty cell changes nothing
  --dates dmy|mdy       how 03/04/2026 is meant; refused without it
  --sheet NAME          of a workbook (default: the first that is visible)
  --dry-run             judges every row and writes nothing
  --reason TEXT         why, for the auditors; some rows need one (a vendor that is SUSPENDED)
  --report FILE         writes the refused rows as CSV: row, field, message
  --organization ID     where to (default: the only one)
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
    if (!values.type) throw new UsageError('Say what the rows are, such as --type vendors.');
    const { type, sheet: name, 'dry-run': dry_run } = values;
    const reason = textOption('--reason', field.reason(), values.reason);
    const map = readMap(values.map);
    const dates = dateOrderOf(values.dates);
    const report = values.report === undefined ? null : resolve(shell.cwd, values.report);
    if (report === path) throw new UsageError('--report would write over the FILE: give another name.');
    await withInstallation(shell, async (stores) => {
      const organization_id = values.organization ?? stores.organizationId;
      const caller = await callerFor(stores, 'import', organization_id, values.account);
      const service = withoutReads(stores);
      const reader = readerFor(rowReaders(allTools(service)), type);
      const importable = importFields(reader, map.has('id'));
      const { fields, lists, accounts } = importable;
      const input = { organization_id, dry_run, ...(reason ? { reason } : {}) };
      const sheet = await readSheet(path, name === undefined ? {} : { sheet: name });
      const refused = await RefusedRows.open(shell, report).catch((error: unknown) => {
        sheet.close();
        throw error;
      });
      const bar = new ProgressBar(shell, 'rows');
      const run = new ImportRun({ service, caller, reader, lists, accounts, input, refused, bar });
      try {
        const columns = matchColumns(sheet.headers, fields, map);
        requireColumns(importable, columns.headerOf);
        const unused = unusedText(importable, columns);
        if (unused !== null) shell.err(unused);
        await run.all(importRows(sheet, fields, { map, ...(dates ? { dates } : {}) }), () => sheet.progress());
      } finally {
        bar.clear();
        sheet.close();
        await refused.close();
      }
      shell.out(run.summary());
      if (refused.count > 0) {
        throw new CommandError('some rows are refused. Mend them and run it again: no row is written twice.');
      }
    });
  },
};

function dateOrderOf(text: string | undefined): DateOrder | undefined {
  if (text === undefined || text === 'dmy' || text === 'mdy') return text;
  throw new UsageError('--dates takes dmy or mdy.');
}

/** The tools as an import needs them: what it writes a running service makes readable, and it reads nothing itself. */
function withoutReads({ handler }: Service): Tools {
  return {
    handler,
    waitUntilProjected: () => Promise.resolve(true),
    reportGenerated: () => undefined,
    writeWaitMs: 0,
    get reader(): never {
      throw new Error('an import reads no read model');
    },
  };
}
