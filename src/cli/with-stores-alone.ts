import type { ServiceClock } from '../clock/service-clock.ts';
import { readConfig } from '../config.ts';
import { requireSchema } from '../identity/migrations/migrate.ts';
import type { ActiveGeneration } from '../projections/engine/build-generation.ts';
import { type Lease, leaseName } from '../projections/engine/lease.ts';
import { DataFolderInUse } from '../stores/data-folder.ts';
import { openStores, type Stores, usesDataFolder } from '../stores/open.ts';
import { lockDataFolder } from '../stores/sqlite/lock-data-folder.ts';
import { CommandError, type Shell } from './command.ts';
import { openCommandClock } from './command-clock.ts';

const STOP_SERVICE_MESSAGE =
  'Stop the service first. A seal that it makes now would conflict with the seals to be restored.';

/** Opens the stores of the settings while no service runs on them. Creates them if they are absent. */
export async function withStoresAlone(
  shell: Shell,
  work: (stores: Stores, clock: ServiceClock) => Promise<void>,
): Promise<void> {
  const config = readConfig(shell.env, shell.cwd);
  const isFolder = usesDataFolder(config);
  const release = isFolder ? lock(config.dataDir) : () => undefined;
  try {
    const stores = await openStores(config);
    try {
      if (!isFolder) await refuseWhileServed(stores);
      await requireSchema(stores.accounts);
      const clock = await openCommandClock(config, stores);
      await work(stores, clock).finally(() => clock.stop());
    } finally {
      await stores.close();
    }
  } finally {
    release();
  }
}

function lock(dataDir: string): () => void {
  try {
    return lockDataFolder(dataDir).release;
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    throw new CommandError(`${STOP_SERVICE_MESSAGE} (${error.message})`);
  }
}

/** Refuses while a service runs. On databases only the lease of its projections shows that. */
async function refuseWhileServed({ reads }: Stores): Promise<void> {
  const active = (await reads.sharedEntry<ActiveGeneration>('active'))?.value;
  const lease = active && (await reads.sharedEntry<Lease>(leaseName(active.generation)))?.value;
  if (lease && lease.expires_at > Date.now()) throw new CommandError(STOP_SERVICE_MESSAGE);
}
