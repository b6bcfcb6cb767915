import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readFrameworkInProcess } from '../../app/reading/files-in-process.ts';
import { importCommandId, importedId } from '../../commands/engine/import-ids.ts';
import { organizationAggregate, recordAggregate } from '../../commands/families.ts';
import { adoptionCommand, type FrameworkInput, framework } from '../../commands/framework.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { omitEmpty, pick } from '../../commands/record.ts';
import { LIBRARY_IDS } from '../../library/framework-library.ts';
import type { FrameworkReading } from '../../library/framework-reading.ts';
import { readColumnMap } from '../../sheets/columns/match-columns.ts';
import * as field from '../../tools/schema/fields.ts';
import { envelopeFor } from '../../tools/write.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, onlyArgument, type Shell, UsageError } from '../command.ts';
import { textOption } from '../text-option.ts';
import { withInstallation } from '../with-installation.ts';
import { headingRowOption } from './heading-row-option.ts';
import { adoptLibraryFramework, hasLibraryOption, libraryTable } from './library-framework.ts';

export const frameworkImport: Command = {
  help: `Usage: veritrail framework import FILE [options]
       veritrail framework import --library NAME [options]

Adopts a framework with all its controls. The service may be running. --library adopts a built-in one, as the tool
addFramework does with library_id: ${LIBRARY_IDS.join(', ')}. Adopting it again
changes nothing. It takes --dry-run, --reason, --organization and --account.

FILE is one of these, recognized by its content:
- an OSCAL catalog, or an OSCAL profile, in JSON, XML or YAML
- a library of CISO Assistant, or an OpenControl standard, in YAML or JSON
- a table (CSV, XLSX, ODS, HTML and others) with a column for the number of each control, and one for its title or text

The controls may take up to 768 KiB. Most catalogs exceed that only with their texts. Titles of more than 200 characters
are shortened, and the description has the whole title. Withdrawn controls are left out; the framework's note lists them.
The command tells what it changed or left out. Importing the same file again changes nothing.

  --name NAME          the framework's name (default: the file's; required for a table)
  --version VERSION    the version, such as 2022 (default: the file's)
  --with-text          uses the text of each control as its description, with the values and constraints of its
                       parameters in square brackets; a table's texts are always used
  --catalog FILE       a catalog or profile that a profile imports, if it isn't where the profile says; may be repeated
  --map FIELD=COLUMN   the column of a table for a field; may be repeated. The fields are section_title (the number),
                       name (the title), description, group, and parent (the number of the control around it)
  --ignore COLUMN      a column of a table that fills no field; may be repeated
  --sheet NAME         the sheet of a workbook (default: the visible one whose headings name the most fields)
  --header-row NUMBER  the row that names the columns (default: the one that names the most fields)
  --encoding NAME      the encoding of a CSV, such as windows-1250 (default: UTF-8, UTF-16 or windows-1252)
  --dry-run            reads the file, tells what would be adopted, and writes nothing
  --reason TEXT        the reason, for auditors
  --organization ID    the organization (default: the only one)
  --account ID         the member who adopts it, ADMIN or OWNER (default: the organization's OWNER)`,

  async run(args, shell) {
    if (hasLibraryOption(args)) return adoptLibraryFramework(args, shell);
    const options = readOptions(args, shell);
    if (!existsSync(options.path)) throw noSuchFile(options.path);
    const reading = await readFrameworkInProcess(options.path, options);
    const adopted = frameworkOf(reading, options);
    for (const notice of reading.notices) shell.err(notice);
    const what = describe(adopted);
    if (options.dryRun) {
      shell.out(`Dry run, nothing was written: ${what}`);
      return;
    }
    await withInstallation(
      shell,
      async (stores) => {
        const { handler } = stores;
        const organizationId = options.organization ?? stores.organizationId;
        const caller = await callerFor(stores, 'framework import', organizationId, options.account);
        const role = requirePermission(caller, organizationId, 'adoptFrameworks');
        const { state } = await handler.load(organizationAggregate(organizationId));
        const input = identityOf(adopted);
        const id = importedId(framework, state!.import_key, organizationId, input);
        const command_id = importCommandId(id);
        const { repeated } = await handler.execute(recordAggregate(id), adoptionCommand(id, adopted, options.reason), {
          ...envelopeFor(caller, organizationId, role, 'adoptFrameworks', command_id),
          command_id,
          input,
        });
        shell.out(repeated ? `${id} was already adopted from this file: ${what}` : `Adopted ${id}: ${what}`);
      },
      { writes: true },
    );
  },
};

type Options = ReturnType<typeof readOptions>;

function readOptions(args: string[], { cwd }: Pick<Shell, 'cwd'>) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      version: { type: 'string' },
      'with-text': { type: 'boolean', default: false },
      catalog: { type: 'string', multiple: true, default: [] },
      map: { type: 'string', multiple: true, default: [] },
      ignore: { type: 'string', multiple: true, default: [] },
      sheet: { type: 'string' },
      'header-row': { type: 'string' },
      encoding: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      reason: { type: 'string' },
      organization: { type: 'string' },
      account: { type: 'string' },
    },
  });
  const { organization, account, ignore, sheet, encoding } = values;
  if (positionals.length === 0) throw new UsageError(`Give the FILE to import, or --library. ${libraryTable()}`);
  return {
    path: resolve(cwd, onlyArgument(positionals, 'the FILE to import')),
    name: textOption('--name', field.name(), values.name),
    version: textOption('--version', field.name(), values.version),
    withText: values['with-text'],
    catalogs: values.catalog.map((path) => resolve(cwd, path)),
    table: {
      map: readColumnMap(values.map),
      ignored: ignore,
      headingRow: headingRowOption(values['header-row']),
      sheet,
      encoding,
    },
    dryRun: values['dry-run'],
    reason: textOption('--reason', field.reason(), values.reason),
    organization,
    account,
  };
}

/** The error for a file that doesn't exist. Its name may have been meant as that of a built-in framework. */
function noSuchFile(path: string): CommandError {
  return new CommandError(`The file ${basename(path)} can’t be read. Check its name. ${libraryTable()}`);
}

/** Returns the framework to adopt. @throws UsageError if neither the file nor the caller names it */
function frameworkOf(reading: FrameworkReading, { name, version, withText }: Options): FrameworkInput {
  if (reading.name === null && withText) {
    throw new UsageError('--with-text is for catalogs. In a table, use a column "description".');
  }
  const frameworkName = name ?? reading.name;
  if (frameworkName === null) {
    throw new UsageError('A table does not state the framework’s name. Give it with --name.');
  }
  return {
    name: textOption('--name', field.name(), frameworkName)!,
    version: textOption('--version', field.name(), version ?? reading.version ?? undefined),
    note: reading.note,
    controls: reading.controls,
  };
}

function describe({ name, version, controls }: FrameworkInput): string {
  return `${name}${version ? ` ${version}` : ''} with ${controls.length} controls`;
}

/** Returns what identifies a framework's file. Groups, parents and notes are not part of it: earlier versions left them out. */
function identityOf({ name, version, controls }: FrameworkInput): Readonly<Record<string, unknown>> {
  const identity = controls.map((control) => pick(control, ['section_title', 'name', 'description']));
  return omitEmpty({ name, version, controls: identity });
}
