import { PeriodicWork } from '../../clock/periodic-work.ts';
import type { ServiceClock } from '../../clock/service-clock.ts';
import { ACCOUNT_TABLES, type AccountStore, type AccountTableName } from '../../stores/account-store.ts';

const SWEEP_INTERVAL_MS = 10 * 60_000;
const TABLES = (Object.keys(ACCOUNT_TABLES) as AccountTableName[]).filter((table) =>
  ACCOUNT_TABLES[table].lookup.some((field) => field === 'expires_at'),
);

export interface SweeperOptions {
  accounts: AccountStore;
  clock: Pick<ServiceClock, 'now' | 'isTrusted'>;
  log: { warn(details: object, message: string): void };
}

/**
 * Removes expired records from all tables. Readers ignore them already before. Removes nothing while the machine's clock is
 * in doubt.
 */
export class Sweeper extends PeriodicWork {
  constructor(private readonly options: SweeperOptions) {
    super(SWEEP_INTERVAL_MS);
  }

  protected async work(): Promise<void> {
    const { accounts, clock } = this.options;
    for (const table of TABLES) {
      if (!clock.isTrusted()) return;
      await accounts.sweep(table, 'expires_at', clock.now().toISOString());
    }
  }

  protected onFailure(error: unknown): void {
    this.options.log.warn({ err: error }, 'expired records could not be removed, the next run retries');
  }
}
