import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Active } from '../projections/build.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../projections/models.ts';
import { newestSeal } from '../projections/sealed.ts';
import type { ReadStore } from '../stores/read-store.ts';
import { keptSealText } from '../trail/kept-seal.ts';
import type { LogSealed } from '../trail/seal.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { withInstallation } from './open.ts';

export const seal: Command = {
  name: 'seal',
  summary: 'write an organization’s newest seal into a file, to be kept elsewhere',
  help: `Usage: veritrail seal [ORG] --to FILE

Writes the newest seal of an organization's history into a new file of one line. Keep it where nobody who can change the
history can change it: on paper, in a ticket, with your auditor. "veritrail verify EXPORT --key KEY --seal FILE" then
proves that a later history goes on from exactly this one, even against whoever holds the key.

The running service makes seals: a minute after a change at the latest, at once when an audit is completed.

  ORG          the organization (default: the first one)
  --to FILE    the file to write`,

  async run(args, shell) {
    const options = { to: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const { to } = values;
    if (to === undefined) throw new UsageError('Give the file to write: --to FILE.');
    if (positionals.length > 1) throw new UsageError('Give one organization.');
    await withInstallation(shell, async ({ reads, organizationId: first }) => {
      const organizationId = positionals[0] ?? first;
      const newest = await newestIn(reads, organizationId);
      await writeFile(resolve(shell.cwd, to), keptSealText(organizationId, newest), { flag: 'wx' }).catch(
        (error: NodeJS.ErrnoException) => {
          const why =
            error.code === 'EEXIST'
              ? 'There is such a file already: give another name'
              : 'It cannot be written, see whether its folder is there and you may write to it';
          throw new CommandError(`${why} (${to}).`);
        },
      );
      shell.out(`The seal of ${newest.sealed_at} over ${newest.size} events of ${organizationId} is in ${to}.`);
    });
  },
};

/** The newest seal that the read models know. @throws CommandError where there is none */
async function newestIn(reads: ReadStore, organizationId: string): Promise<LogSealed> {
  const active = (await reads.register<Active>('active'))?.value;
  if (active?.version !== PROJECTIONS_VERSION) throw new CommandError('Start the service once: it makes the seals.');
  const models = await reads.open(active.generation, COLLECTIONS);
  try {
    const newest = await newestSeal(models, organizationId);
    if (newest !== null) return newest.data;
  } finally {
    await models.close();
  }
  throw new CommandError(`There is no seal of ${organizationId}: the running service makes one in a minute.`);
}
