import { randomBytes } from 'node:crypto';
import { createReadSide } from '../../app/create-read-side.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { Checkpoint } from '../../stores/read-store.ts';
import { ALL_TOOLS } from '../../tools/all-tools.ts';
import { Proposals } from '../../tools/proposals/proposals.ts';
import { CommandError } from '../command.ts';
import { openReadModels } from '../import/open-read-models.ts';
import { writeService } from '../import/write-service.ts';
import type { OpenInstallation } from '../with-installation.ts';

/** The proposals of an installation, with a reader of its read models. */
export interface OpenProposals {
  proposals: Proposals;
  reader: Reader;
}

/** Runs `work` with the proposals, on the read models that the service keeps. @throws CommandError if there are none */
export async function withProposals(
  installation: OpenInstallation,
  work: (open: OpenProposals) => Promise<void>,
): Promise<void> {
  const models = await openReadModels(installation.reads);
  if (models === null) throw new CommandError('There are no read models of this version. Start the service once.');
  try {
    const checkpoints = new Map<string, Checkpoint>();
    for (const checkpoint of await models.checkpoints()) checkpoints.set(checkpoint.organizationId, checkpoint);
    const progress = {
      role: 'FOLLOWER' as const,
      caughtUpAt: 0,
      waitUntilCaughtUp: async () => true,
      checkpoint: (organizationId: string) => checkpoints.get(organizationId) ?? null,
    };
    const { events, accounts, names, clock } = installation;
    const readSide = { events, accounts, names, cursorKey: randomBytes(32), now: clock.now };
    const { reader } = createReadSide(readSide, () => ({ models, progress }));
    const service = { ...writeService(installation), reader, reportGenerated: () => undefined };
    await work({ proposals: new Proposals(ALL_TOOLS, service), reader });
  } finally {
    await models.close();
  }
}
