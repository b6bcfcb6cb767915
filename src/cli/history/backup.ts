import { parseArgs } from 'node:util';
import { type Command, outputOf } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { backupLines } from './backup-file.ts';
import { writeLines } from './files.ts';

export const backup: Command = {
  help: `Usage: veritrail backup --to FILE

Writes everything that can't be rebuilt to one new file: the log of all organizations, the account store with the access
log, and the keys that sign seals. A name that ends in .gz gives a gzip file. The service may be running. "veritrail
restore" restores the file into either pair of stores. Read models are not included: they are rebuilt from the log.

Anyone who has the file can sign in and sign seals as this service. Keep it as safe as a password.

  --to FILE    the file to write; - writes to standard output, for a pipe`,

  async run(args, shell) {
    const { values } = parseArgs({ args, options: { to: { type: 'string' } } });
    const to = outputOf(values.to, shell);
    await withInstallation(shell, async ({ installation, clock: { now }, ...stores }) => {
      let events = 0;
      const lines = backupLines({ ...stores, now }, installation, (count) => {
        events = count;
      });
      await writeLines(to.target, lines);
      to.report(`Wrote ${events} events, the accounts and the keys to ${to.name}.`);
    });
  },
};
