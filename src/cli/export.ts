import { parseArgs } from 'node:util';
import { exportLines } from '../queries/export.ts';
import { type Command, CommandError, fileToWrite, optionalArgument } from './command.ts';
import { writeLines } from './files.ts';
import { withInstallation } from './open.ts';

export const exportHistory: Command = {
  help: `Usage: veritrail export [ORG] --to FILE

Writes the whole history of an organization, with its seals, into a new file, also beside a running service: JSON Lines,
packed with gzip where the name ends in .gz. "veritrail verify" proves it, without any store; "veritrail restore" takes it
into other stores. It holds all facts and an internal key: keep it as you keep the register.

  ORG          the organization (default: the first one)
  --to FILE    the file to write`,

  async run(args, shell) {
    const options = { to: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const path = fileToWrite(values.to, shell);
    const named = optionalArgument(positionals, 'one organization');
    await withInstallation(shell, async ({ events, installation, organizationId: first }) => {
      const organizationId = named ?? first;
      let count = 0;
      const lines = exportLines({
        ...{ events, organizationId, installation },
        now: () => new Date(),
        progress: (done) => {
          count = done;
        },
      });
      await writeLines(path, atLeastOne(lines, organizationId));
      shell.out(`${count} events of ${organizationId} are in ${values.to}.`);
    });
  },
};

/** Lets a history through that has events. */
async function* atLeastOne(lines: AsyncGenerator<string[], number>, organizationId: string): AsyncGenerator<string[]> {
  const size = yield* lines;
  if (size === 0)
    throw new CommandError(
      `There is no organization ${organizationId}: "veritrail member list" names the first one, listOrganizations all.`,
    );
}
