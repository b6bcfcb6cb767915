import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { importCommandId, importedId } from '../../commands/engine/import-ids.ts';
import { organizationAggregate, recordAggregate } from '../../commands/families.ts';
import { adoptionCommand, type FrameworkInput, framework } from '../../commands/framework.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { omitEmpty } from '../../commands/record.ts';
import { readFrameworkCsv } from '../../library/framework-csv.ts';
import { readOscalCatalog } from '../../library/oscal-catalog.ts';
import * as field from '../../mcp/schema/fields.ts';
import { envelopeFor } from '../../mcp/tools/write.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, onlyArgument, type Shell, UsageError } from '../command.ts';
import { textOption } from '../text-option.ts';
import { withInstallation } from '../with-installation.ts';

/** Five times the largest published catalog. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface Options {
  name: string | undefined;
  version: string | undefined;
  withText: boolean;
}

export const frameworkImport: Command = {
  help: `Usage: veritrail framework import FILE [options]

Adopts a framework with all its controls. The service may be running. FILE is an OSCAL catalog in JSON, or a CSV in UTF-8
whose first row names the columns: number, title and optionally description. The controls may take up to 768 KiB. Most
catalogs exceed that only with their texts. Importing the same file again changes nothing.

  --name NAME          the framework's name (default: the catalog's title; required for a CSV)
  --version VERSION    the version, such as 2022 (default: the catalog's)
  --with-text          uses the catalog's text of each control as its description; a CSV's descriptions are always used
  --reason TEXT        the reason, for auditors
  --organization ID    the organization (default: the only one)
  --account ID         the member who adopts it, ADMIN or OWNER (default: the organization's OWNER)`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        version: { type: 'string' },
        'with-text': { type: 'boolean', default: false },
        reason: { type: 'string' },
        organization: { type: 'string' },
        account: { type: 'string' },
      },
    });
    const path = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to import'));
    const { name, version, 'with-text': withText } = values;
    const reason = textOption('--reason', field.reason(), values.reason);
    const read = readFramework(await textIn(path), { name, version, withText }, shell);
    await withInstallation(shell, async (stores) => {
      const { handler } = stores;
      const organizationId = values.organization ?? stores.organizationId;
      const caller = await callerFor(stores, 'framework import', organizationId, values.account);
      const role = requirePermission(caller, organizationId, 'adoptFrameworks');
      const { state } = await handler.load(organizationAggregate(organizationId));
      const input = omitEmpty(read);
      const id = importedId(framework, state!.import_key, organizationId, input);
      const { repeated } = await handler.execute(recordAggregate(id), adoptionCommand(id, read, reason), {
        ...envelopeFor(caller, organizationId, role),
        command_id: importCommandId(id),
        input,
      });
      const what = `${read.name}${read.version ? ` ${read.version}` : ''} with ${read.controls.length} controls`;
      shell.out(repeated ? `${id} was already adopted from this file: ${what}` : `Adopted ${id}: ${what}`);
    });
  },
};

async function textIn(path: string): Promise<string> {
  const size = await stat(path).then(
    (fileStats) => (fileStats.isFile() ? fileStats.size : null),
    () => null,
  );
  if (size === null) throw new CommandError('The file can’t be read. Check its name and your permissions.');
  if (size > MAX_FILE_BYTES)
    throw new CommandError('The file is larger than 64 MiB. Give the catalog of one framework.');
  return readFile(path, 'utf8');
}

/** Reads an OSCAL catalog or a CSV. An OSCAL catalog is a JSON object. */
function readFramework(text: string, { name, version, withText }: Options, shell: Shell): FrameworkInput {
  if (/^\uFEFF?\s*\{/.test(text)) {
    const catalog = readOscalCatalog(text, { withText });
    return {
      name: textOption('--name', field.name(), name ?? catalog.name)!,
      version: textOption('--version', field.name(), version ?? catalog.version),
      controls: catalog.controls,
    };
  }
  if (name === undefined) throw new UsageError('A CSV does not state the framework’s name. Give it with --name.');
  if (withText) throw new UsageError('--with-text is for OSCAL catalogs. In a CSV, use a column "description".');
  const { controls, ignored } = readFrameworkCsv(text);
  if (ignored.length > 0) shell.err(`Ignored columns: ${ignored.join(', ')}.`);
  return {
    name: textOption('--name', field.name(), name)!,
    version: textOption('--version', field.name(), version),
    controls,
  };
}
