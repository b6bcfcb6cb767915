import { parseArgs } from 'node:util';
import { openWorkbookInProcess } from '../../app/reading/files-in-process.ts';
import { CrosswalkImport, relationCountsText } from '../../import/crosswalk/crosswalk-import.ts';
import { RELATION_WORDS } from '../../import/crosswalk/crosswalk-row.ts';
import { CROSSWALK_FIELDS, CrosswalkSheet, type CrosswalkSheetResult } from '../../import/crosswalk/crosswalk-sheet.ts';
import { importTool } from '../../import/import-tool.ts';
import { namesOneOf, normalizeHeading } from '../../sheets/columns/headings.ts';
import { readValueWords, wordsByField } from '../../sheets/columns/value-words.ts';
import { readSheet, type Sheet } from '../../sheets/read-sheet.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, type Shell, UsageError } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import { matchedColumnsText } from './import-texts.ts';
import { openReadModels } from './open-read-models.ts';
import { RefusedRows } from './refused-rows.ts';
import { ROW_IMPORT_HELP, ROW_IMPORT_OPTIONS, readRowImportOptions } from './row-import-options.ts';
import { writeService } from './write-service.ts';

export const crosswalkImport: Command = {
  help: `Usage: veritrail crosswalk import FILE [options]

Links controls of two adopted frameworks, as a spreadsheet pairs them. FILE is a CSV or a workbook with up to 5,000
pairs: a column with the controls of each framework, by their numbers, and usually one with the relation. A cell may have
several numbers, such as "A.5.1; A.5.2". Columns are found by their headings, such as "Source" and "Target", or by the
numbers in them. The relation is that of the first control to the second: equivalent, supports, supported by, partly,
or partly covered by.

All pairs of two frameworks become one event. Importing the same file again writes nothing, even if somebody has changed
or ended a link since. A later file adds pairs and changes relations, but never ends a link. Wrong rows are listed and
left out; the others are imported, and the exit code is 1. The service must have been started once.

  --from FRAMEWORK      the framework of the first column, by name or id (default: the one that has its controls)
  --to FRAMEWORK        the framework of the second column
  --relation RELATION   the relation of rows that state none: ${RELATION_WORDS.join(', ')}
  --map FIELD=COLUMN    the column of a field; may be repeated. The fields are
                        ${CROSSWALK_FIELDS.map(({ name }) => name).join(', ')}
  --ignore COLUMN       a column that fills no field; may be repeated
  --value relation:WORD=RELATION
                        the relation that a word means, such as "relation:intersects=PARTLY"; may be repeated
${ROW_IMPORT_HELP}`,

  async run(args, shell) {
    const options = readOptions(args, shell);
    await withInstallation(
      shell,
      async (stores) => {
        const models = await openReadModels(stores.reads);
        if (models === null)
          throw new CommandError('There are no read models. Start the service once, then repeat this.');
        try {
          await runImport(options, shell, stores, models);
        } finally {
          await models.close();
        }
      },
      { writes: true },
    );
  },
};

type Options = ReturnType<typeof readOptions>;

function readOptions(args: string[], shell: Shell) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...ROW_IMPORT_OPTIONS, from: { type: 'string' }, to: { type: 'string' }, relation: { type: 'string' } },
  });
  const { map, ignored, value, ...options } = readRowImportOptions(values, positionals, shell);
  return {
    ...options,
    from: values.from,
    to: values.to,
    relation: relationOption(values.relation),
    choices: { map, ignored, words: wordsByField(readValueWords(value, CROSSWALK_FIELDS)) },
  };
}

function relationOption(text: string | undefined) {
  if (text === undefined) return undefined;
  const relation = RELATION_WORDS.find((word) => word === text.toUpperCase());
  if (relation === undefined) throw new UsageError(`--relation takes one of ${RELATION_WORDS.join(', ')}.`);
  return relation;
}

async function runImport(
  options: Options,
  shell: Shell,
  stores: OpenInstallation & { organizationId: string },
  models: ReadModels,
): Promise<void> {
  const { dryRun, reason, from, to, relation, choices } = options;
  const organizationId = options.organization ?? stores.organizationId;
  const caller = await callerFor(stores, 'crosswalk import', organizationId, options.account);
  const context = { service: writeService(stores), caller, tool: importTool };
  const call = { organization_id: organizationId, dry_run: dryRun, reason };
  const pairs = await CrosswalkImport.open(context, call, { models });
  const mapped = new Set([...choices.map.values()].map(normalizeHeading));
  const namesField = namesOneOf(CROSSWALK_FIELDS);
  const sheet = await readSheet(openWorkbookInProcess, options.path, {
    sheet: options.sheet,
    headingRow: options.headingRow,
    encoding: options.encoding,
    namesField: (heading) =>
      mapped.has(normalizeHeading(heading)) || namesField(heading) || 'id' in pairs.frameworks.find(heading),
  });
  try {
    for (const notice of sheet.notices) shell.err(notice);
    const frameworks = { from: frameworkOption('--from', pairs, from), to: frameworkOption('--to', pairs, to) };
    const crosswalkSheet = await CrosswalkSheet.open(sheet, { crosswalkImport: pairs, choices, frameworks, relation });
    const { columns, notices } = crosswalkSheet.columns;
    for (const notice of [...notices, matchedColumnsText(columns)]) if (notice !== null) shell.err(notice);
    tellResult(await runRows(crosswalkSheet, sheet, options, shell), dryRun, shell);
  } finally {
    sheet.close();
  }
}

/** Returns the id of the framework that an option names. @throws UsageError if it names none */
function frameworkOption(option: string, { frameworks }: CrosswalkImport, word: string | undefined) {
  if (word === undefined) return undefined;
  const framework = frameworks.find(word);
  if ('problem' in framework) throw new UsageError(`${option}: ${framework.problem}`);
  return framework.id;
}

async function runRows(crosswalkSheet: CrosswalkSheet, { headers }: Sheet, options: Options, shell: Shell) {
  const refusedRows = await RefusedRows.open(shell, options, headers);
  try {
    return await crosswalkSheet.run((row, problems) => refusedRows.add(row, problems));
  } finally {
    await refusedRows.close();
  }
}

/** Tells what was linked. @throws CommandError if rows were left out */
function tellResult({ rows, leftOut, single, crosswalks }: CrosswalkSheetResult, dryRun: boolean, shell: Shell): void {
  if (single > 0) shell.err(`Rows with controls of one framework only link nothing: ${single}.`);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  for (const crosswalk of crosswalks) {
    const [one, other] = crosswalk.frameworks;
    shell.out(`${one!.name} and ${other!.name}: ${relationCountsText(crosswalk)}`);
    for (const name of ['created', 'updated', 'unchanged'] as const) counts[name] += crosswalk[name];
  }
  const { created, updated, unchanged } = counts;
  const summary = `created ${created}, updated ${updated}, unchanged ${unchanged} pairs, refused ${leftOut} (of ${rows} rows)`;
  shell.out(`${dryRun ? 'Dry run, nothing was written: ' : ''}${summary}`);
  if (leftOut > 0) {
    throw new CommandError('Some rows were refused. Fix them and run it again. No pair is written twice.');
  }
}
