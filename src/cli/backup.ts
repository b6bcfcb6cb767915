import { parseArgs } from 'node:util';
import { backupLines } from './backup-file.ts';
import { type Command, fileToWrite } from './command.ts';
import { writeLines } from './files.ts';
import { withInstallation } from './open.ts';

export const backup: Command = {
  help: `Usage: veritrail backup --to FILE

Writes all that cannot be made again into one new file: the whole log of all organizations, the account store with its
access log, and the keys that seals are signed with. Packed with gzip where the name ends in .gz. The service may be
running meanwhile, on any pair of stores; "veritrail restore" takes the file into either. Read models are not in it: they
are built anew.

Whoever has the file can sign in and sign seals as this service: keep it as you keep a password.

  --to FILE    the file to write`,

  async run(args, shell) {
    const { values } = parseArgs({ args, options: { to: { type: 'string' } } });
    const to = fileToWrite(values.to, shell);
    await withInstallation(shell, async ({ installation, ...stores }) => {
      let events = 0;
      const lines = backupLines(stores, installation, (count) => {
        events = count;
      });
      await writeLines(to, lines);
      shell.out(`The log of ${events} events, the accounts and the keys are in ${values.to}.`);
    });
  },
};
