import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withStoresAlone } from './alone.ts';
import { isBackup, readBackup } from './backup-file.ts';
import { type Command, onlyArgument, UsageError } from './command.ts';
import { restoreBackup } from './restore-backup.ts';
import { restoreExport } from './restore-export.ts';
import { keysFrom } from './verify-file.ts';

export const restore: Command = {
  help: `Usage: veritrail restore FILE [--key KEY] [--keys BACKUP]

Takes a history that "veritrail export" wrote into the stores that the settings name, where its organization is not yet:
the same events, in the same order, with the same positions and seals. So it moves between embedded stores and databases.
Or takes a whole backup of "veritrail backup" into empty stores. Stop the service first. What was cut off is finished by
the same command again.

A history is verified before anything is written; one that was redacted is refused. It holds no accounts:
 - in empty stores, all is taken over as "veritrail init --adopt-log" does: a new account is made OWNER of it, and its
   token is printed, once;
 - beside other organizations, its OWNER becomes whoever is OWNER of the first one, unless an OWNER of its has an
   account here.

  --key KEY        the public key that its seals must be signed with, as of "veritrail verify"; without it the seals are
                   held against the keys that the history itself names. May be repeated
  --keys BACKUP    the backup with the private keys, to go on sealing in their succession. Without them a new key takes
                   over by itself, and "veritrail verify" then wants both`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { key: { type: 'string', multiple: true }, keys: { type: 'string' } },
    });
    const path = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to restore'));
    const given = await keysFrom(values.key ?? [], shell);
    if (await isBackup(path)) {
      if (values.keys !== undefined || given.length > 0) throw new UsageError('A backup has its keys: give none.');
      const summary = await readBackup(path);
      await withStoresAlone(shell, (stores) => restoreBackup(path, summary, stores, shell));
      return;
    }
    const keys = values.keys === undefined ? [] : (await readBackup(resolve(shell.cwd, values.keys))).sealKeys;
    await restoreExport({ path, given, keys }, shell);
  },
};
