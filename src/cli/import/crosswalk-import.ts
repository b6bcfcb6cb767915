import { parseArgs } from 'node:util';
import { CrosswalkImport } from '../../import/crosswalk/crosswalk-import.ts';
import { RELATION_WORDS } from '../../import/crosswalk/crosswalk-row.ts';
import { CROSSWALK_FIELDS, CrosswalkSheet } from '../../import/crosswalk/crosswalk-sheet.ts';
import { namesOneOf } from '../../sheets/columns/headings.ts';
import { readValueWords, wordsByField } from '../../sheets/columns/value-words.ts';
import { type Command, CommandError, type Shell, UsageError } from '../command.ts';
import { ROW_IMPORT_HELP, ROW_IMPORT_OPTIONS, readRowImportOptions } from './row-import-options.ts';
import { type RowImportCommand, runRowImport } from './run-row-import.ts';

export const crosswalkImport: Command = {
  help: `Usage: veritrail crosswalk import FILE [options]

Links controls of two adopted frameworks, as a spreadsheet pairs them. FILE is a CSV or a workbook with up to 5,000
pairs: a column with the controls of each framework, by their numbers, and usually one with the relation. A cell may have
several numbers, such as "A.5.1; A.5.2". Columns are found by their headings, such as "Source" and "Target", or by the
numbers in them. The relation is that of the first control to the second: equivalent, supports, supported by, partly,
or partly covered by.

All pairs of two frameworks become one event. Importing the same file again writes nothing, even if somebody has changed
or ended a link since, except after an undo of the import. A later file adds pairs and changes relations, but never ends a
link. Wrong rows are listed and left out; the others are imported, and the exit code is 1. The service must have been
started once.

  --from FRAMEWORK      the framework of the first column, by name or id (default: the one that has its controls)
  --to FRAMEWORK        the framework of the second column
  --relation RELATION   the relation of rows that state none: ${RELATION_WORDS.join(', ')}
  --map FIELD=COLUMN    the column of a field; may be repeated. The fields are
                        ${CROSSWALK_FIELDS.map(({ name }) => name).join(', ')}
  --ignore COLUMN       a column that fills no field; may be repeated
  --value relation:WORD=RELATION
                        the relation that a word means, such as "relation:helps=SUPPORTS"; may be repeated
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

function commandFor({ reason, from, to, relation, choices }: Options): RowImportCommand {
  return {
    ...{ name: 'crosswalk import', unit: 'pair' },
    async prepare({ organizationId, models, context }) {
      if (models === null)
        throw new CommandError('There are no read models. Start the service once, then repeat this.');
      const call = { organization_id: organizationId, reason };
      const crosswalkImport = await CrosswalkImport.open(context, call, { models });
      const namesField = namesOneOf(CROSSWALK_FIELDS, choices.map);
      return {
        namesField: (heading) => namesField(heading) || 'id' in crosswalkImport.frameworks.find(heading),
        async open(sheet, dryRun) {
          const frameworks = {
            from: frameworkOption('--from', crosswalkImport, from),
            to: frameworkOption('--to', crosswalkImport, to),
          };
          return await CrosswalkSheet.open(sheet, { crosswalkImport, dryRun, choices, frameworks, relation });
        },
        withHint: (error) =>
          error.field === 'relation' && error.message.startsWith('is required')
            ? { ...error, hint: '--relation gives one to rows that state none' }
            : error,
      };
    },
  };
}

/** Returns the id of the framework that an option names. @throws UsageError if it names none */
function frameworkOption(option: string, { frameworks }: CrosswalkImport, word: string | undefined) {
  if (word === undefined) return undefined;
  const framework = frameworks.find(word);
  if ('problem' in framework) throw new UsageError(`${option}: ${framework.problem}`);
  return framework.id;
}
