import { readConfig } from '../config.ts';
import { requireSchema } from '../identity/migrations/migrate.ts';
import type { Active } from '../projections/build.ts';
import { type Lease, leaseName } from '../projections/lease.ts';
import { openStores, type Stores, usesDataFolder } from '../stores/open.ts';
import { lockDataFolder } from '../stores/sqlite/data-folder.ts';
import { CommandError, type Shell } from './command.ts';

const STOP_FIRST =
  'Stop the service first: a seal that it made meanwhile would stand in the way of those to be restored.';

/** Opens the stores that the settings name, made where they are absent, while no service runs on them. */
export async function withStoresAlone(shell: Shell, work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = readConfig(shell.env, shell.cwd);
  const isFolder = usesDataFolder(config);
  const release = isFolder ? lock(config.dataDir) : () => undefined;
  try {
    const stores = await openStores(config);
    try {
      if (!isFolder) await refuseBeside(stores);
      await requireSchema(stores.accounts);
      await work(stores);
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
    throw new CommandError(`${STOP_FIRST} (${(error as Error).message})`);
  }
}

/** Servers on databases hold nothing but a lease, which whoever runs the projections renews. */
async function refuseBeside({ reads }: Stores): Promise<void> {
  const active = (await reads.register<Active>('active'))?.value;
  const lease = active && (await reads.register<Lease>(leaseName(active.generation)))?.value;
  if (lease && lease.expires_at > Date.now()) throw new CommandError(STOP_FIRST);
}
