import { parseArgs } from 'node:util';
import { exportLines } from '../../queries/files/export-lines.ts';
import { commandLineCaller } from '../accounts/caller-for.ts';
import { type Command, CommandError, optionalArgument, outputOf } from '../command.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import { writeLines } from './files.ts';

export const exportHistory: Command = {
  help: `Usage: veritrail export [ORG] --to FILE

Writes the whole history of an organization, with its seals, to a new file of JSON Lines. A name that ends in .gz gives a
gzip file. The service may be running. "veritrail verify" verifies the file without any store; "veritrail restore" restores
it into other stores. The file has all data and an internal key. Keep it as safe as the register.

  ORG          the organization (default: the first one)
  --to FILE    the file to write; - writes to standard output, for a pipe`,

  async run(args, shell) {
    const options = { to: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const to = outputOf(values.to, shell);
    const requestedId = optionalArgument(positionals, 'one organization');
    await withInstallation(shell, async (service) => {
      const { events, installation, organizationId: first } = service;
      const organizationId = requestedId ?? first;
      let count = 0;
      const lines = exportLines({
        events,
        organizationId,
        installation,
        now: service.clock.now,
        progress: (done) => {
          count = done;
        },
      });
      await writeLines(to.target, atLeastOne(lines, organizationId));
      await recordExport(service, organizationId, count);
      to.report(`Wrote ${count} events of ${organizationId} to ${to.name}.`);
    });
  },
};

/** Records the export in the access log, as done on this machine. A log that can't be written doesn't fail the export. */
async function recordExport(
  { accessEvents, accessLog }: Pick<OpenInstallation, 'accessEvents' | 'accessLog'>,
  organization_id: string,
  position: number,
): Promise<void> {
  const download = { organization_id, type: 'history', format: 'jsonl', position: String(position) };
  accessEvents.emit({ type: 'EXPORT_DOWNLOADED', caller: commandLineCaller('export'), download });
  await accessLog.close();
}

/** Passes the lines on. @throws CommandError for a history without events */
async function* atLeastOne(lines: AsyncGenerator<string[], number>, organizationId: string): AsyncGenerator<string[]> {
  const size = yield* lines;
  if (size === 0)
    throw new CommandError(
      `Organization ${organizationId} was not found. Find organizations with the tool listOrganizations.`,
    );
}
