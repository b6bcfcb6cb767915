import { parseArgs } from 'node:util';
import { ImportedNames } from '../../identity/imported-names.ts';
import { type Command, CommandError, optionalArgument, textTable } from '../command.ts';
import { withInstallation } from '../with-installation.ts';

export const importedNames: Command = {
  help: `Usage: veritrail imported-names [ORGANIZATION] [--erase NAME_ID]

Lists the names of people without accounts that imports stored: reviewers of vendors, and those who accepted risks. The
log has only their ids, so a name can be erased. Pages and answers then say "erased name" instead, also for the past.
ORGANIZATION is an id (org_…). The default is the first organization.

  --erase NAME_ID   erases the name with this id (nam_…) for good. Backups made before still contain it`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({ args, options: { erase: { type: 'string' } }, allowPositionals: true });
    const requestedId = optionalArgument(positionals, 'one ORGANIZATION (org_…)');
    await withInstallation(shell, async (service) => {
      const names = new ImportedNames(service.accounts);
      const organizationId = requestedId ?? service.organizationId;
      if (values.erase === undefined) {
        const rows = (await names.list(organizationId)).map(({ id, name }) => [id, name]);
        shell.out(textTable([['ID', 'NAME'], ...rows]));
      } else if (await names.erase(organizationId, values.erase)) {
        const erased = { organization_id: organizationId, name_id: values.erase, by: 'SYSTEM' };
        service.accessEvents.emit({ type: 'IMPORTED_NAME_ERASED', ...erased });
        await service.accessLog.close();
        shell.out(`${values.erase} is erased.`);
      } else {
        throw new CommandError(`The organization has no name ${values.erase}. "veritrail imported-names" lists them.`);
      }
    });
  },
};
