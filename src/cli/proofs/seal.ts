import { parseArgs } from 'node:util';
import { activeGeneration } from '../../projections/engine/active-generation.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../../projections/models.ts';
import {
  type LogSealedDocument,
  newestSeal,
  rotationsBefore,
  SEALS,
} from '../../projections/transparency/seal-documents.ts';
import { readSealKey } from '../../queries/proofs/check-newest-seal.ts';
import { type FaultySeal, findFaultySeal } from '../../queries/proofs/check-seals.ts';
import { proveConsistency } from '../../queries/proofs/proofs.ts';
import type { ReadModels, ReadStore } from '../../stores/read-store.ts';
import { extensionText } from '../../trail/extension.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { isKeptSealSigned, type KeptSeal, keptSealText } from '../../trail/seals/kept-seal.ts';
import { provesConsistency } from '../../trail/seals/proof.ts';
import { type Command, CommandError, optionalArgument, outputOf, UsageError } from '../command.ts';
import { writeLines } from '../history/files.ts';
import { withInstallation } from '../with-installation.ts';
import { sealFrom } from './verify-file.ts';

export const seal: Command = {
  help: `Usage: veritrail seal [ORG] --to FILE [--since SEAL]

Writes the newest seal of an organization's history to a new file of one line. Keep the file where nobody who can change the
history can change it: on paper, in a ticket, with your auditor. Later, "veritrail verify EXPORT --key KEY --seal FILE"
proves that a history begins with exactly this one, even if the holder of the private key is dishonest.

With --since, the file has a second line. It proves that the history extends the one in SEAL. Then no export is needed:
"veritrail verify FILE --key KEY --seal SEAL" proves that nothing before SEAL was altered. Keep FILE from then on. If SEAL
is the newest seal, nothing is written.

The command prints how many later changes are not sealed yet. The running service makes a seal within a minute of a change,
and at once when an audit is completed.

  ORG             the organization (default: that of SEAL, or the first one)
  --to FILE       the file to write; - writes to standard output, for a pipe
  --since SEAL    a file that this command wrote earlier`,

  async run(args, shell) {
    const options = { to: { type: 'string' }, since: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const to = outputOf(values.to, shell);
    const organizationArgument = optionalArgument(positionals, 'one organization');
    const olderSeal = values.since === undefined ? null : (await sealFrom('--since', values.since, shell)).seal;
    const requestedId = organizationArgument ?? olderSeal?.organization_id;
    if (olderSeal && requestedId !== olderSeal.organization_id)
      throw new UsageError(`That seal belongs to ${olderSeal.organization_id}.`);
    await withInstallation(shell, async ({ events, reads, organizationId: first }) => {
      const organizationId = requestedId ?? first;
      await withModels(reads, async (models) => {
        const newest = await newestSeal(models, organizationId);
        if (newest === null) {
          throw new CommandError(`${organizationId} has no seal yet. The running service makes one within a minute.`);
        }
        const fault = await findFaultySeal({ events, models }, organizationId, [newest]);
        if (fault !== null) throw new CommandError(faultText(organizationId, fault));
        const unsealed = await unsealedBehind(models, organizationId, newest.data.size);
        const extension = olderSeal === null ? '' : await extensionOf(models, olderSeal, newest);
        if (olderSeal?.size === newest.data.size) throw new CommandError(nothingNewer(olderSeal, unsealed));
        const text = keptSealText(organizationId, newest.data) + extension;
        await writeLines(to.target, [[text.trimEnd()]]);
        const { sealed_at, size } = newest.data;
        const covers = `${size} events of ${organizationId}, up to position ${size}`;
        to.report(`Wrote the seal of ${sealed_at} to ${to.name}. It covers ${covers}. ${unsealedText(unsealed)}`);
      });
    });
  },
};

/** Returns why a seal isn't worth keeping: it would refute the true history later. */
function faultText(organizationId: string, { why, from, until }: FaultySeal): string {
  return (
    `Nothing was written: the newest seal of ${organizationId} is faulty (${why}). An event between positions ${from} and ` +
    `${until} isn't as it was sealed, or the read models are wrong. See "Sealing has stopped" in docs/operations.md.`
  );
}

/** Opens the current read models for `work`. @throws CommandError if this version has none */
async function withModels(reads: ReadStore, work: (models: ReadModels) => Promise<void>): Promise<void> {
  const active = await activeGeneration(reads);
  if (active?.version !== PROJECTIONS_VERSION) throw new CommandError('Start the service once. It makes the seals.');
  const models = await reads.open(active.generation, COLLECTIONS);
  try {
    await work(models);
  } finally {
    await models.close();
  }
}

/**
 * Counts the changes after a seal, as far as the read models have them. Events about seals don't count.
 */
async function unsealedBehind(models: ReadModels, organizationId: string, size: number): Promise<number> {
  // Read first, as an upper limit: events projected meanwhile are not counted.
  const position = (await models.checkpoint(organizationId))?.position ?? size;
  const where = [{ key: 'position', op: 'range', gt: size, lte: position }] as const;
  const [facts] = await models.count({ collection: SEALS.name, organizationId, where });
  return Math.max(position - size - (facts?.total ?? 0), 0);
}

function unsealedText(unsealed: number): string {
  if (unsealed === 0) return 'There are no later changes.';
  const they = unsealed === 1 ? '1 later change is' : `${unsealed} later changes are`;
  return `${they} not sealed yet.`;
}

function nothingNewer({ sealed_at, size, organization_id }: KeptSeal, unsealed: number): string {
  const next =
    'The running service makes a seal within a minute of a change, or at once when an audit is completed. Repeat it then.';
  return (
    `Nothing was written: that seal (${sealed_at}, up to position ${size}) is the newest one of ${organization_id}. ` +
    `${unsealedText(unsealed)} ${next}`
  );
}

/** Returns the proof that a seal extends an older one. @throws CommandError if it doesn't */
async function extensionOf(models: ReadModels, older: KeptSeal, newer: LogSealedDocument): Promise<string> {
  const { organization_id, size, key_id } = older;
  const key = await readSealKey(models, organization_id, key_id);
  if (key === null || !isKeptSealSigned(older, [key])) {
    throw new CommandError(
      `No key of ${organization_id} signed that seal: it was altered, or it is of another history. Give --since the file as it was written.`,
    );
  }
  if (size > newer.data.size) {
    throw new CommandError(`That seal covers ${size} events, the newest one here only ${newer.data.size}.`);
  }
  const proof = await proveConsistency(models, organization_id, size, newer.data.size);
  if (!provesConsistency(nodeCrypto, proof, older, newer.data)) {
    throw new CommandError(
      'The history here does not begin with that of the seal. It is another history, or it was altered.',
    );
  }
  return extensionText(proof, await rotationsBefore(models, organization_id, newer.position));
}
