import { parseArgs } from 'node:util';
import { libraryFrameworkId } from '../../commands/engine/ids.ts';
import { recordAggregate } from '../../commands/families.ts';
import { adoptionCommand } from '../../commands/framework.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework, listLibrary } from '../../library/framework-library.ts';
import * as field from '../../tools/schema/fields.ts';
import { envelopeFor } from '../../tools/write.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { textTable } from '../accounts/text-table.ts';
import { type Shell, UsageError } from '../command.ts';
import { textOption } from '../text-option.ts';
import { withInstallation } from '../with-installation.ts';

const LIBRARY_OPTION = /^--library(?:=|$)/;

/** Returns true for arguments that name a framework of the library instead of a file. */
export const hasLibraryOption = (args: readonly string[]): boolean => args.some((arg) => LIBRARY_OPTION.test(arg));

/** Returns the built-in frameworks as a table, for messages. */
export function libraryTable(): string {
  const rows = listLibrary().map(({ library_id, name, version, control_count }) => [
    `  ${library_id}`,
    `${name} ${version}, ${control_count} controls`,
  ]);
  return `The built-in frameworks, for --library NAME:\n${textTable(rows)}`;
}

/** Adopts a framework of the library. As with the tool addFramework, a second adoption changes nothing. */
export async function adoptLibraryFramework(args: readonly string[], shell: Shell): Promise<void> {
  const options = readOptions(args);
  const { name, version, controls } = libraryFramework(options.library);
  const what = `${name} ${version} with ${controls.length} controls`;
  if (options.dryRun) {
    shell.out(`Dry run, nothing was written: ${what}`);
    return;
  }
  await withInstallation(
    shell,
    async (stores) => {
      const organizationId = options.organization ?? stores.organizationId;
      const caller = await callerFor(stores, 'framework import', organizationId, options.account);
      const role = requirePermission(caller, organizationId, 'adoptFrameworks');
      const id = libraryFrameworkId(organizationId, options.library);
      const input = { library_id: options.library, name, version, controls };
      const command_id = stores.handler.commandId([organizationId, 'framework import'], undefined);
      const { event_types } = await stores.handler.execute(
        recordAggregate(id),
        adoptionCommand(id, input, options.reason),
        {
          ...envelopeFor(caller, organizationId, role, 'adoptFrameworks', command_id),
          command_id,
          input: { library_id: options.library },
        },
      );
      shell.out(event_types.length === 0 ? `${id} was already adopted: ${what}` : `Adopted ${id}: ${what}`);
    },
    { writes: true },
  );
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseLibraryArgs(args);
  if (positionals.length > 0) throw new UsageError('Give either a FILE or --library NAME.');
  const library = LIBRARY_IDS.find((id) => id === values.library);
  if (library === undefined) {
    const problem =
      values.library === undefined ? 'Give --library a name.' : `There is no framework "${values.library}".`;
    throw new UsageError(`${problem} ${libraryTable()}`);
  }
  return {
    library: library as LibraryId,
    dryRun: values['dry-run'],
    reason: textOption('--reason', field.reason(), values.reason),
    organization: values.organization,
    account: values.account,
  };
}

function parseLibraryArgs(args: readonly string[]) {
  const isNameless = args.at(-1) === '--library';
  try {
    return parseArgs({
      args: isNameless ? args.slice(0, -1) : [...args],
      allowPositionals: true,
      options: {
        library: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        reason: { type: 'string' },
        organization: { type: 'string' },
        account: { type: 'string' },
      },
    });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw error;
    throw new UsageError(
      '--library takes only --dry-run, --reason, --organization and --account: other options are for files.',
    );
  }
}
