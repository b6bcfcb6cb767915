import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { FAMILIES } from '../../commands/families.ts';
import { ValueWords } from '../../identity/value-words.ts';
import { ROW_READERS, type RowError, type RowReader } from '../../import/import-rows.ts';
import { takesAcceptanceEnd } from '../../import/past-decisions.ts';
import { IMPORTED_BEFORE } from '../../import/row-commands.ts';
import { ControlNumbers, controlListFields } from '../../import/sheet/control-numbers.ts';
import { hasIds, withIdColumn } from '../../import/sheet/id-column.ts';
import { sheetFields } from '../../import/sheet/sheet-fields.ts';
import { ROWS_PER_WRITE, SheetImport } from '../../import/sheet/sheet-import.ts';
import { AdoptedFrameworks } from '../../queries/records/adopted-frameworks.ts';
import { LiveRecords } from '../../queries/records/live-records.ts';
import { CONTROL } from '../../register/control.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { DateOrder } from '../../sheets/cells/cell-dates.ts';
import { namesOneOf } from '../../sheets/columns/headings.ts';
import { readValueWords, wordsByField } from '../../sheets/columns/value-words.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import * as field from '../../tools/schema/fields.ts';
import { type Command, type Shell, textOption, UsageError } from '../command.ts';
import { allMemberWords } from './all-member-words.ts';
import { unusedColumnsText } from './import-texts.ts';
import { ROW_IMPORT_HELP, ROW_IMPORT_OPTIONS, readRowImportOptions } from './row-import-options.ts';
import { type RowImportCall, type RowImportCommand, runRowImport } from './run-row-import.ts';

/** The types of rows as people write them, such as "vendors". */
const IMPORTABLE_TYPES = [...ROW_READERS.values()].map(({ type }) => FAMILIES[type].plural);

export const importFile: Command = {
  help: `Usage: veritrail import FILE --type TYPE [options]

Creates a record for each row of a spreadsheet. FILE is a CSV of any length, a workbook (XLSX, XLS, XLSB,
ODS, Numbers) or an HTML table. The service may be running. The sheet and the row with the headings are found by the
names of their columns. A column fills the field with the same name, "Next review
due" fills next_review_due, or with another usual heading, "Supplier" fills a vendor's name. Map other columns. The fields
are those of the type's tools. A downloaded file of records can be edited and imported: its column "id" names the records
to change. Dates, yes and no, and values such as "in progress" or "Likely" may be written as people write them; n/a, TBD
and - are empty. Owners are members by name or e-mail address. Columns such as "Linked risks" link with records by their
reference_id. The command tells how it read the file. Ambiguous values are refused.

Importing the same file again writes nothing twice, so repeat an interrupted import to finish it. A row that was imported
before is recognized by its reference_id, or else by its cells, even if the record has changed since. After you correct
the file, use --update: else a changed row adds a second record, or is refused for its reference_id. Wrong rows are
listed and left out; the others are imported, and the exit code is 1. Unlike the importRecords tool, one bad row does not
reject the whole file. Use --dry-run first if that matters. A dry run does not detect that two rows contradict each other
if they are more than ${ROWS_PER_WRITE} rows apart. Some rows need a reason, such as a vendor that is SUSPENDED.

  --type TYPE           ${IMPORTABLE_TYPES.join(', ')}
  --map FIELD=COLUMN    the column of a field, such as name=Supplier; may be repeated. With id=COLUMN, a row with an
                        id changes that record; an empty cell changes nothing
  --framework NAME      the framework of a list of controls (default: the one that has the numbers in a column)
  --update              a row that was not imported before changes the one record with its reference_id, or else with
                        its name; an empty cell changes nothing. Rows that could be about several records are refused
  --accepted-until DATE the end of accepted risks whose rows have none, such as 2026-12-31
  --ignore COLUMN       a column that fills no field; may be repeated
  --value FIELD:WORD=VALUE
                        the value that a word means, such as "status:Monitoring=OPEN"; without VALUE the cell is
                        empty; may be repeated. The organization's next imports of the type understand it too
  --forget-values       forgets the words of earlier imports of the type
  --dates dmy|mdy       day or month first in dates such as 03/04/2026. Without it, other dates of the column decide,
                        such as 31/12/2026; if none does, such dates are refused
${ROW_IMPORT_HELP}`,

  async run(args, shell) {
    const options = readOptions(args, shell);
    await runRowImport(commandFor(options), options, shell);
  },
};

type Options = ReturnType<typeof readOptions>;

function readOptions(args: string[], shell: Shell) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...ROW_IMPORT_OPTIONS,
      type: { type: 'string' },
      update: { type: 'boolean', default: false },
      'forget-values': { type: 'boolean', default: false },
      dates: { type: 'string' },
      framework: { type: 'string' },
      'accepted-until': { type: 'string' },
    },
  });
  const options = readRowImportOptions(values, positionals, shell);
  if (!values.type) throw new UsageError('Give the type of the rows, such as --type vendors.');
  const reader = readerFor(values.type);
  if (values.update && reader.updateParser === null) {
    throw new UsageError(`--update changes records, but ${FAMILIES[reader.type].plural} never changes.`);
  }
  if (values['accepted-until'] && !takesAcceptanceEnd(FAMILIES[reader.type])) {
    throw new UsageError(`--accepted-until is for risks: ${FAMILIES[reader.type].plural} are not accepted.`);
  }
  return {
    ...options,
    reader,
    acceptedUntil: textOption('--accepted-until', field.date(), values['accepted-until']),
    updatesExisting: values.update,
    offersUpdate: !values.update && reader.updateParser !== null && hasLookalikes(reader),
    forgetsValues: values['forget-values'],
    dateOrder: dateOrderOf(values.dates),
    framework: values.framework,
  };
}

function commandFor(options: Options): RowImportCommand {
  const { reader, reason, acceptedUntil, updatesExisting, offersUpdate, forgetsValues } = options;
  return {
    ...{ name: 'import', unit: 'row', offersUpdate },
    async prepare({ stores, organizationId, models, context }) {
      const { fields, accountFields } = sheetFields(reader, options.map.has('id'));
      const valueWords = new ValueWords(stores.accounts);
      const words = readValueWords(options.value, fields);
      return {
        namesField: namesOneOf(fields, options.map),
        async open(sheet, dryRun) {
          if (forgetsValues && !dryRun) await valueWords.forget(organizationId, reader.type);
          const rememberedWords = forgetsValues ? [] : await valueWords.of(organizationId, reader.type);
          const { map, ...matched } = await matchSheet(sheet, options, { stores, organizationId, models });
          return new SheetImport(sheet, {
            ...{ context, reader, organizationId, dryRun, reason, acceptedUntil, updatesExisting },
            fileName: basename(options.path),
            ...matched,
            choices: { ...options, map, words: wordsByField([...rememberedWords, ...words]) },
            members: await allMemberWords(stores, organizationId),
            snapshot: models && { models },
            events: stores.events,
            records: await LiveRecords.open({ ...stores, organizationId, type: reader.type, models }),
          });
        },
        unusedText: (columns) => unusedColumnsText(sheetFields(reader, columns.headerOf.has('id')), columns),
        withHint: (error) => withCommandHint(error, accountFields, updatesExisting),
        finish: () => valueWords.remember(organizationId, reader.type, words),
      };
    },
  };
}

type StoresOfCall = Pick<RowImportCall, 'stores' | 'organizationId' | 'models'>;

/** Returns a sheet's fields and the mapping of its columns; for a list of controls also their numbers. */
async function matchSheet(sheet: Sheet, options: Options, call: StoresOfCall) {
  const { reader, updatesExisting } = options;
  const withId = withIdColumn(reader, sheet, options);
  const controls = await controlNumbers(sheet, { ...options, map: withId }, call);
  const map = controls?.map ?? withId;
  if (updatesExisting && !map.has('id') && !hasLookalikes(reader)) {
    const { plural } = FAMILIES[reader.type];
    throw new UsageError(
      `--update can't find the records: ${plural} have no name or reference_id. Map a column to id.`,
    );
  }
  const fields = sheetFields(reader, map.has('id'));
  if (controls === null) return { map, fields, controls };
  return { map, fields: { ...fields, fields: controlListFields(fields.fields, options.map) }, controls };
}

/**
 * Returns the numbers of the controls in a statement of applicability, or in another list of controls; null for any other
 * sheet, and for one with ids.
 */
async function controlNumbers(
  sheet: Sheet,
  options: Pick<Options, 'reader' | 'framework' | 'ignored'> & { map: ReadonlyMap<string, string> },
  { stores, organizationId, models }: StoresOfCall,
): Promise<ControlNumbers | null> {
  const { reader, map, framework: word } = options;
  if (reader.type !== CONTROL.type || models === null || hasIds(reader, sheet, map)) return null;
  const frameworks = await AdoptedFrameworks.read(stores.handler, { models }, organizationId);
  const named = word === undefined ? null : frameworks.find(word);
  if (named !== null && 'problem' in named) throw new UsageError(`--framework: ${named.problem}`);
  return ControlNumbers.open(sheet, options, frameworks, named === null ? frameworks.all : [named]);
}

/** Returns true for a type whose records --update finds by name or reference_id. It finds others only by id. */
function hasLookalikes({ type }: RowReader): boolean {
  const { fields }: FamilyDescription = FAMILIES[type];
  return ['name', 'reference_id'].some((name) => fields[name]?.lookalike);
}

function withCommandHint(error: RowError, accountFields: ReadonlySet<string>, updatesExisting: boolean): RowError {
  if (error.message.includes(IMPORTED_BEFORE)) {
    const hint = updatesExisting ? 'no live record has this reference_id now' : '--update changes it instead';
    return { ...error, hint };
  }
  if (error.field === 'reference_id' && error.message.includes('contradict each other')) {
    return { ...error, hint: 'if they are several records, number them apart, or leave the numbers out with --ignore' };
  }
  if (error.message.startsWith('ACCEPTED needs accepted_until')) {
    return { ...error, hint: '--accepted-until DATE is one for all of them' };
  }
  if (error.field === 'reason') return { ...error, hint: '--reason gives one reason for the whole import' };
  return accountFields.has(error.field) ? { ...error, hint: '"veritrail member list" lists the members' } : error;
}

/** Returns the reader of a type written as vendors, vendor or VENDOR. @throws UsageError with the valid types */
function readerFor(type: string): RowReader {
  const typeName = type.trim().toLowerCase();
  for (const reader of ROW_READERS.values()) {
    const { singular, plural } = FAMILIES[reader.type];
    if ([reader.type.toLowerCase(), singular, plural].includes(typeName)) return reader;
  }
  throw new UsageError(
    `--type takes one of ${IMPORTABLE_TYPES.join(', ')}. For links between controls, see "veritrail crosswalk import".`,
  );
}

function dateOrderOf(text: string | undefined): DateOrder | undefined {
  if (text === undefined || text === 'dmy' || text === 'mdy') return text;
  throw new UsageError('--dates takes dmy or mdy.');
}
