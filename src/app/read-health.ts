import { doubtText } from '../clock/clock-in-doubt.ts';
import { withTimeout } from '../clock/with-timeout.ts';
import { organizationAggregate } from '../commands/families.ts';
import type { Health } from '../http/health-routes.ts';
import type { Reconciler } from '../identity/installation/reconciler.ts';
import type { ReportingState } from '../reporting/reporting-projection.ts';
import { readSealStops, type SealStop } from '../seal/seal-stop.ts';
import { StoreRefused, StoreReplaced } from '../stores/errors.ts';
import type { Stores } from '../stores/open.ts';
import type { Register } from './create-register.ts';

/** Limit for each store, so that a health check doesn't wait for one that is down. */
const HEALTH_TIMEOUT_MS = 1_300;

const CLOCK_BEHIND_LOG =
  'The clock of this machine is before the time of an event in the log. Either the clock is wrong now, or it was ahead ' +
  'when the event was recorded, or somebody added the event. See "Recorded out of order" in docs/operations.md.';

type HealthSources = Pick<Register, 'projections' | 'handler' | 'problems' | 'clock'>;

interface StoreHealth {
  /** REPLACED: reads work, writes are refused until the operator acts. */
  state: 'UP' | 'DOWN' | 'REPLACED';
  /** The finding and the next step, for the operator. */
  problem?: string;
}

/** Limit of organizations that are read to see that calls can be served. */
const MAX_CHECKED_ORGANIZATIONS = 5;

/**
 * Reads the health. The service is serving if each store answers, the read models have caught up once, and the log has the
 * roles of an organization, which every call needs. It is degraded while the read models can't be brought up to date, for
 * example on a full disk. So it is once a store's data were replaced, while the machine's clock is in
 * doubt, and while other problems need the operator.
 */
export async function readHealth(
  stores: Stores,
  register: HealthSources,
  reconciler: Pick<Reconciler, 'state'>,
  reporting: { readonly state: ReportingState },
): Promise<Health> {
  const { projections } = register;
  const [hasRoles, stops, eventStore, readStore, accountStore] = await Promise.all([
    canReadRoles(register),
    withTimeout(HEALTH_TIMEOUT_MS, readSealStops(stores.reads), () => []).catch(() => []),
    storeHealth(stores.events.check()),
    storeHealth(stores.reads.sharedEntry('active')),
    storeHealth(stores.accounts.check()),
  ]);
  const { state: clockState } = register.clock;
  const all = [eventStore, readStore, accountStore];
  const ofStores = new Set([...all.flatMap(({ problem }) => problem ?? []), ...register.problems.list()]);
  const problems = [...ofStores, ...sealingProblem(stops), ...reportingProblem(reporting.state)];
  if (projections.isClockBehindLog) problems.push(CLOCK_BEHIND_LOG);
  if (clockState.status !== 'TRUSTED') problems.push(doubtText(clockState.status));
  return {
    serving: all.every(({ state }) => state !== 'DOWN') && projections.ready && hasRoles,
    degraded: projections.isFailing || problems.length > 0,
    stores: { event_store: eventStore.state, read_store: readStore.state, account_store: accountStore.state },
    projections: projections.state(),
    reconciliation: reconciler.state,
    reporting: reporting.state,
    clock: clockState,
    ...(problems.length > 0 ? { problems } : {}),
    sealStops: stops,
  };
}

/** Returns true if the roles of any organization can be read. The first is enough, unless its stream is damaged. */
async function canReadRoles({ projections, handler }: HealthSources): Promise<boolean> {
  const ids = projections.ready ? projections.organizations.slice(0, MAX_CHECKED_ORGANIZATIONS) : [];
  for (const id of ids) {
    const { state } = await storeHealth(handler.load(organizationAggregate(id), true));
    if (state === 'UP') return true;
  }
  return ids.length === 0;
}

async function storeHealth(work: Promise<unknown>): Promise<StoreHealth> {
  const health = work.then(
    (): StoreHealth => ({ state: 'UP' }),
    (error: unknown): StoreHealth => {
      if (error instanceof StoreReplaced) return { state: 'REPLACED', problem: error.message };
      if (error instanceof StoreRefused) return { state: 'DOWN', problem: `${error.finding} ${error.advice}` };
      return { state: 'DOWN' };
    },
  );
  return withTimeout(HEALTH_TIMEOUT_MS, health, () => ({ state: 'DOWN' }));
}

/** Returns the problem for all callers. Only an organization's own callers see its positions. */
function sealingProblem({ length }: readonly SealStop[]): string[] {
  if (length === 0) return [];
  const organizations = length === 1 ? '1 organization' : `${length} organizations`;
  return [
    `Sealing of ${organizations} has stopped, because the read models differ from the log or from a seal. Run "veritrail rebuild". ` +
      'If this message stays, see "Sealing has stopped" in docs/operations.md.',
  ];
}

/** Returns a failure of the reporting database. Reports that are off for want of a right are no failure of the service. */
function reportingProblem({ state, problem }: ReportingState): string[] {
  return state === 'FAILING' ? [`The reporting database can't be brought up to date. ${problem ?? ''}`.trim()] : [];
}
