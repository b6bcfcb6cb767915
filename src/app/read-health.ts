import type { Health } from '../http/health-routes.ts';
import { StoreReplaced } from '../stores/errors.ts';
import type { Stores } from '../stores/open.ts';
import type { Register } from './create-register.ts';

/** Limit for each store, so that a health check doesn't wait for one that is down. */
const HEALTH_TIMEOUT_MS = 1_300;

/** A store's answer to a health check. */
interface StoreHealth {
  /** REPLACED: reads work, writes are refused until the operator acts. */
  state: 'UP' | 'DOWN' | 'REPLACED';
  /** The finding and the next step, for the operator. */
  problem?: string;
}

/**
 * Reads the health. The service is serving if each store answers and the read models have caught up once. It is degraded
 * while the read models can't be brought up to date, for example on a full disk, and once a store's data were replaced.
 */
export async function readHealth(stores: Stores, { projections }: Pick<Register, 'projections'>): Promise<Health> {
  const [eventStore, readStore, accountStore] = await Promise.all([
    storeHealth(stores.events.head()),
    storeHealth(stores.reads.sharedEntry('active')),
    storeHealth(stores.accounts.get('secrets', 'installation')),
  ]);
  const all = [eventStore, readStore, accountStore];
  const problems = all.flatMap(({ problem }) => problem ?? []);
  return {
    serving: all.every(({ state }) => state !== 'DOWN') && projections.ready,
    degraded: projections.isFailing || problems.length > 0,
    stores: { event_store: eventStore.state, read_store: readStore.state, account_store: accountStore.state },
    projections: projections.state(),
    ...(problems.length > 0 ? { problems } : {}),
  };
}

async function storeHealth(work: Promise<unknown>): Promise<StoreHealth> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(reject, HEALTH_TIMEOUT_MS, new Error('timeout')).unref(),
  );
  return Promise.race([work, timeout]).then(
    () => ({ state: 'UP' }),
    (error: unknown) =>
      error instanceof StoreReplaced ? { state: 'REPLACED', problem: error.message } : { state: 'DOWN' },
  );
}
