import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../clock/monotonic.ts';
import type { ServiceClock } from '../clock/service-clock.ts';
import { readConfig } from '../config.ts';
import { requireSchema } from '../identity/migrations/migrate.ts';
import { activeGeneration } from '../projections/engine/active-generation.ts';
import { LEASE_MS, LeaseHold } from '../projections/engine/lease.ts';
import { DataFolderInUse } from '../stores/data-folder.ts';
import { openStores, type Stores, usesDataFolder } from '../stores/open.ts';
import { lockDataFolder } from '../stores/sqlite/lock-data-folder.ts';
import { CommandError, type Shell } from './command.ts';
import { openCommandClock } from './command-clock.ts';

/** Between two looks at the lease. */
const LOOK_INTERVAL_MS = 500;

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
  const active = await activeGeneration(reads);
  if (active === null) return;
  const { generation } = active;
  const lease = new LeaseHold({ reads, generation, holder: randomUUID(), exclusive: false });
  const end = monotonicMs() + LEASE_MS + LOOK_INTERVAL_MS;
  // A service that was killed left its lease. It is free when it stays as it is.
  while (!(await lease.isFree())) {
    if (monotonicMs() > end) throw new CommandError(STOP_SERVICE_MESSAGE);
    await pause(LOOK_INTERVAL_MS);
  }
}
