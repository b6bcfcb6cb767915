import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, onlyArgument, UsageError } from '../command.ts';
import { keysFrom } from '../proofs/verify-file.ts';
import { withStoresAlone } from '../with-stores-alone.ts';
import { isBackup, readBackup } from './backup-file.ts';
import { restoreBackup } from './restore-backup.ts';
import { restoreExport } from './restore-export.ts';

export const restore: Command = {
  help: `Usage: veritrail restore FILE [--key KEY] [--keys BACKUP]

Restores a file of "veritrail export" into stores that don't have its organization: the same events in the same order, with
the same positions and seals. This is how to move between embedded stores and databases. Also restores a file of "veritrail
backup" into empty stores. Stop the service first. Run the same command again to finish an interrupted restore.

An export is verified before anything is written. A redacted one is refused. An export has no accounts:
 - in empty stores, "restore" creates an account that is OWNER, as "veritrail init --adopt-log" does, and prints its token
   once;
 - if there are other organizations, the OWNER of the first organization becomes OWNER, unless one of its owners has an account
   here.

  --key KEY        the public key that must have signed the seals, as for "veritrail verify". Without it, the seals are
                   checked against the keys that the history itself names. May be repeated
  --keys BACKUP    the backup with the private keys, to continue sealing with them. Without them a new key takes over, and
                   "veritrail verify" then needs both`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { key: { type: 'string', multiple: true }, keys: { type: 'string' } },
    });
    const path = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to restore'));
    const trustedKeys = await keysFrom(values.key ?? [], shell);
    if (await isBackup(path)) {
      if (values.keys !== undefined || trustedKeys.length > 0)
        throw new UsageError('A backup has its own keys. Leave --key and --keys out.');
      const summary = await readBackup(path);
      await withStoresAlone(shell, (stores, clock) =>
        restoreBackup(path, summary, { ...stores, now: clock.now }, shell),
      );
      return;
    }
    const keys = values.keys === undefined ? [] : (await readBackup(resolve(shell.cwd, values.keys))).sealKeys;
    await restoreExport({ path, trustedKeys, keys }, shell);
  },
};
