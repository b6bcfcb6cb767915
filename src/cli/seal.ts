import { parseArgs } from 'node:util';
import type { ActiveGeneration } from '../projections/build-generation.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../projections/models.ts';
import { type LogSealedDocument, newestSeal, rotationsBefore, SEALS } from '../projections/seal-documents.ts';
import { proveConsistency } from '../queries/proofs.ts';
import type { ReadModels, ReadStore } from '../stores/read-store.ts';
import { extensionText } from '../trail/extension.ts';
import { type KeptSeal, keptSealText } from '../trail/kept-seal.ts';
import { provesConsistency } from '../trail/proof.ts';
import { type Command, CommandError, fileToWrite, optionalArgument, UsageError } from './command.ts';
import { writeLines } from './files.ts';
import { sealFrom } from './verify-file.ts';
import { withInstallation } from './with-installation.ts';

export const seal: Command = {
  help: `Usage: veritrail seal [ORG] --to FILE [--since SEAL]

Writes the newest seal of an organization's history into a new file of one line. Keep it where nobody who can change the
history can change it: on paper, in a ticket, with your auditor. "veritrail verify EXPORT --key KEY --seal FILE" then
proves that a later history goes on from exactly this one, even against whoever holds the key.

With --since the file has a second line: the proof that the history goes on from the seal that was kept then. Whoever kept
that one needs no export: "veritrail verify FILE --key KEY --seal SEAL" proves that nothing before it was altered. The
file is then the seal to keep. Where the newest seal is SEAL itself, nothing is written.

It says how many later changes are not sealed yet. The running service makes seals: a minute after a change at the latest, at once when an audit is completed.

  ORG             the organization (default: that of SEAL, or the first one)
  --to FILE       the file to write
  --since SEAL    a file that this command wrote earlier`,

  async run(args, shell) {
    const options = { to: { type: 'string' }, since: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const to = fileToWrite(values.to, shell);
    const given = optionalArgument(positionals, 'one organization');
    const since = values.since === undefined ? null : (await sealFrom('--since', values.since, shell)).seal;
    const named = given ?? since?.organization_id;
    if (since && named !== since.organization_id) throw new UsageError(`That seal is of ${since.organization_id}.`);
    await withInstallation(shell, async ({ reads, organizationId: first }) => {
      const organizationId = named ?? first;
      await withModels(reads, async (models) => {
        const newest = await newestSeal(models, organizationId);
        if (newest === null) {
          throw new CommandError(`There is no seal of ${organizationId}: the running service makes one in a minute.`);
        }
        const unsealed = await unsealedBehind(models, organizationId, newest.data.size);
        const extension = since === null ? '' : await extensionOf(models, since, newest);
        if (since?.size === newest.data.size) throw new CommandError(nothingNewer(since, unsealed));
        const text = keptSealText(organizationId, newest.data) + extension;
        await writeLines(to, [[text.trimEnd()]]);
        const { sealed_at, size } = newest.data;
        const covers = `${size} events of ${organizationId}, up to position ${size}`;
        shell.out(`The seal of ${sealed_at} over ${covers}, is in ${values.to}. ${unsealedText(unsealed)}`);
      });
    });
  },
};

/** The read models that are served. @throws CommandError where there are none of this version */
async function withModels(reads: ReadStore, work: (models: ReadModels) => Promise<void>): Promise<void> {
  const active = (await reads.register<ActiveGeneration>('active'))?.value;
  if (active?.version !== PROJECTIONS_VERSION) throw new CommandError('Start the service once: it makes the seals.');
  const models = await reads.open(active.generation, COLLECTIONS);
  try {
    await work(models);
  } finally {
    await models.close();
  }
}

/**
 * How many changes there are behind what a seal covers, as far as the read models know: facts of the seals themselves
 * do not count.
 */
async function unsealedBehind(models: ReadModels, organizationId: string, size: number): Promise<number> {
  // Read first, as a bound: what is projected meanwhile counts on neither side.
  const position = (await models.checkpoint(organizationId))?.position ?? size;
  const where = [{ key: 'position', op: 'range', gt: size, lte: position }] as const;
  const [facts] = await models.count({ collection: SEALS.name, organizationId, where });
  return Math.max(position - size - (facts?.total ?? 0), 0);
}

function unsealedText(unsealed: number): string {
  if (unsealed === 0) return 'No later change is known.';
  const they = unsealed === 1 ? '1 later change is' : `${unsealed} later changes are`;
  return `${they} not sealed yet.`;
}

function nothingNewer({ sealed_at, size, organization_id }: KeptSeal, unsealed: number): string {
  const next =
    'the running service makes a seal within a minute of a change, or at once when an audit is completed: repeat it then';
  return (
    `The newest seal of ${organization_id} is that one itself, of ${sealed_at} and up to position ${size}, so nothing ` +
    `was written. ${unsealedText(unsealed)} Next: ${next}.`
  );
}

/** What shows that a seal goes on from an older one. @throws CommandError where it does not */
async function extensionOf(models: ReadModels, older: KeptSeal, newer: LogSealedDocument): Promise<string> {
  const { organization_id, size } = older;
  if (size > newer.data.size) {
    throw new CommandError(`That seal covers ${size} events, the newest one here only ${newer.data.size}.`);
  }
  const proof = await proveConsistency(models, organization_id, size, newer.data.size);
  if (!provesConsistency(proof, older, newer.data)) {
    throw new CommandError('The history here does not begin with that of the seal: it is another, or was altered.');
  }
  return extensionText(proof, await rotationsBefore(models, organization_id, newer.position));
}
