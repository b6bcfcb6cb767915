import { ImportedNames } from '../../identity/imported-names.ts';
import type { WriteService } from '../../tools/tool.ts';
import type { OpenInstallation } from '../with-installation.ts';

/** Returns the service for an import. It waits for no read models: a running service projects what the import writes. */
export function writeService({ handler, accounts, names }: OpenInstallation): WriteService {
  const importedNames = new ImportedNames(accounts);
  return { handler, names, importedNames, waitUntilProjected: () => Promise.resolve(true), writeWaitMs: 0 };
}
