import type { Health } from '../http/health-routes.ts';
import type { Stores } from '../stores/open.ts';
import type { Register } from './create-register.ts';

/** Limit for each store, so that a health check doesn't wait for one that is down. */
const HEALTH_TIMEOUT_MS = 1_300;

/**
 * Reads the health. The service is serving if each store answers and the read models have caught up once. It is degraded
 * while the read models can't be brought up to date, for example on a full disk.
 */
export async function readHealth(stores: Stores, { projections }: Pick<Register, 'projections'>): Promise<Health> {
  const [eventStore, readStore, accountStore] = await Promise.all([
    storeState(stores.events.head()),
    storeState(stores.reads.sharedEntry('active')),
    storeState(stores.accounts.get('secrets', 'installation')),
  ]);
  const serving = [eventStore, readStore, accountStore].every((state) => state === 'UP') && projections.ready;
  return {
    serving,
    degraded: projections.isFailing,
    stores: { event_store: eventStore, read_store: readStore, account_store: accountStore },
    projections: projections.state(),
  };
}

async function storeState(work: Promise<unknown>): Promise<'UP' | 'DOWN'> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(reject, HEALTH_TIMEOUT_MS, new Error('timeout')).unref(),
  );
  return Promise.race([work, timeout]).then(
    () => 'UP',
    () => 'DOWN',
  );
}
