import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readFrameworkInProcess } from '../../app/reading/files-in-process.ts';
import { libraryFrameworkId } from '../../commands/engine/ids.ts';
import { importCommandId, importedId } from '../../commands/engine/import-ids.ts';
import { organizationAggregate, recordAggregate } from '../../commands/families.ts';
import { adoptionCommand, type FrameworkInput, framework } from '../../commands/framework.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { omitEmpty, pick } from '../../commands/record.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework, listLibrary } from '../../library/framework-library.ts';
import type { FrameworkReading } from '../../library/framework-reading.ts';
import { readColumnMap } from '../../sheets/columns/match-columns.ts';
import * as field from '../../tools/schema/fields.ts';
import { envelopeFor } from '../../tools/write.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, onlyArgument, type Shell, textOption, textTable, UsageError } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import { headingRowOption } from './heading-row-option.ts';

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
  --sheet NAME         the sheet of a workbook (default: the visible one with the most cells under known headings)
  --header-row NUMBER  the row that names the columns (default: the one that names the most fields). 0 if there is
                       none: the columns are A, B and so on
  --encoding NAME      the encoding of a CSV, such as windows-1250 (default: UTF-8, UTF-16 or windows-1252)
  --dry-run            reads the file, tells what would be adopted, and writes nothing
  --reason TEXT        the reason, for auditors
  --organization ID    the organization (default: the only one)
  --account ID         the member who adopts it, ADMIN or OWNER (default: the organization's OWNER)`,

  async run(args, shell) {
    const options = readOptions(args, shell);
    const adoption = options.library === undefined ? await readFile(options, shell) : libraryAdoption(options.library);
    const what = describe(adoption.framework);
    if (options.dryRun) shell.out(`Dry run, nothing was written: ${what}`);
    else await adopt(adoption, what, options, shell);
  },
};

/** A framework to adopt, and how a repeated adoption is recognized. */
interface Adoption {
  framework: FrameworkInput;
  /** The source of a repeated adoption, for the message. */
  source: string;
  identify(
    organizationId: string,
    importKey: string,
  ): { id: string; input: Readonly<Record<string, unknown>>; command_id?: string };
}

async function readFile(options: FileOptions, shell: Shell): Promise<Adoption> {
  if (!existsSync(options.path)) throw noSuchFile(options.path);
  const reading = await readFrameworkInProcess(options.path, options);
  const adopted = frameworkOf(reading, options);
  for (const notice of reading.notices) shell.err(notice);
  const input = identityOf(adopted);
  return {
    framework: adopted,
    source: ' from this file',
    identify(organizationId, importKey) {
      const id = importedId(framework, importKey, organizationId, input);
      return { id, input, command_id: importCommandId(id) };
    },
  };
}

/** Returns the adoption of a built-in framework. As with the tool addFramework, a second one changes nothing. */
function libraryAdoption(library_id: LibraryId): Adoption {
  const { name, version, controls } = libraryFramework(library_id);
  return {
    framework: { library_id, name, version, controls },
    source: '',
    identify: (organizationId) => ({ id: libraryFrameworkId(organizationId, library_id), input: { library_id } }),
  };
}

async function adopt(adoption: Adoption, what: string, options: Options, shell: Shell): Promise<void> {
  const run = async (stores: OpenInstallation & { organizationId: string }) => {
    const { handler } = stores;
    const organizationId = options.organization ?? stores.organizationId;
    const caller = await callerFor(stores, 'framework import', organizationId, options.account);
    const role = requirePermission(caller, organizationId, 'adoptFrameworks');
    const { state } = await handler.load(organizationAggregate(organizationId));
    const { id, input, ...identified } = adoption.identify(organizationId, state!.import_key);
    const command_id = identified.command_id ?? handler.commandId([organizationId, 'framework import'], undefined);
    const command = adoptionCommand(id, adoption.framework, options.reason);
    const { repeated, event_types } = await handler.execute(recordAggregate(id), command, {
      ...envelopeFor(caller, organizationId, role, 'adoptFrameworks', command_id),
      command_id,
      input,
    });
    const isRepeated = repeated || event_types.length === 0;
    shell.out(isRepeated ? `${id} was already adopted${adoption.source}: ${what}` : `Adopted ${id}: ${what}`);
  };
  await withInstallation(shell, run, { writes: true });
}

/** The options that make sense with --library too. */
const COMMON_OPTIONS = {
  library: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  reason: { type: 'string' },
  organization: { type: 'string' },
  account: { type: 'string' },
} as const;

const FILE_OPTIONS = {
  name: { type: 'string' },
  version: { type: 'string' },
  'with-text': { type: 'boolean' },
  catalog: { type: 'string', multiple: true },
  map: { type: 'string', multiple: true },
  ignore: { type: 'string', multiple: true },
  sheet: { type: 'string' },
  'header-row': { type: 'string' },
  encoding: { type: 'string' },
} as const;

type Options = ReturnType<typeof readOptions>;
type FileOptions = Extract<Options, { path: string }>;

function readOptions(args: string[], { cwd }: Pick<Shell, 'cwd'>) {
  const { values, positionals } = parseArgs({
    // An option without its value would be an error that doesn't list the frameworks.
    args: args.at(-1) === '--library' ? [...args.slice(0, -1), '--library='] : args,
    allowPositionals: true,
    options: { ...COMMON_OPTIONS, ...FILE_OPTIONS },
  });
  const { library, organization, account } = values;
  const reason = textOption('--reason', field.reason(), values.reason);
  const common = { dryRun: values['dry-run'], reason, organization, account };
  if (library !== undefined) {
    if (positionals.length > 0) throw new UsageError('Give either a FILE or --library NAME.');
    if (Object.keys(values).some((name) => name in FILE_OPTIONS)) {
      const allowed = '--dry-run, --reason, --organization and --account';
      throw new UsageError(`--library takes only ${allowed}: other options are for files.`);
    }
    return { ...common, library: libraryNamed(library) };
  }
  if (positionals.length === 0) throw new UsageError(`Give the FILE to import, or --library. ${libraryTable()}`);
  return {
    ...common,
    library: undefined,
    path: resolve(cwd, onlyArgument(positionals, 'the FILE to import')),
    name: textOption('--name', field.name(), values.name),
    version: textOption('--version', field.name(), values.version),
    withText: values['with-text'] ?? false,
    catalogs: (values.catalog ?? []).map((path) => resolve(cwd, path)),
    table: {
      map: readColumnMap(values.map ?? []),
      ignored: values.ignore ?? [],
      headingRow: headingRowOption(values['header-row']),
      sheet: values.sheet,
      encoding: values.encoding,
    },
  };
}

/** @throws UsageError that lists the built-in frameworks */
function libraryNamed(name: string): LibraryId {
  const library = LIBRARY_IDS.find((id) => id === name);
  if (library !== undefined) return library as LibraryId;
  throw new UsageError(
    `${name === '' ? 'Give --library a name.' : `There is no framework "${name}".`} ${libraryTable()}`,
  );
}

function libraryTable(): string {
  const rows = listLibrary().map(({ library_id, name, version, control_count }) => [
    `  ${library_id}`,
    `${name} ${version}, ${control_count} controls`,
  ]);
  return `The built-in frameworks, for --library NAME:\n${textTable(rows)}`;
}

/** The error for a file that doesn't exist. Its name may have been meant as that of a built-in framework. */
function noSuchFile(path: string): CommandError {
  return new CommandError(`The file ${basename(path)} can’t be read. Check its name. ${libraryTable()}`);
}

/** Returns the framework to adopt. @throws UsageError if neither the file nor the caller names it */
function frameworkOf(reading: FrameworkReading, { name, version, withText }: FileOptions): FrameworkInput {
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
