import { ACCOUNT_TABLES, type AccountStore, type AccountTableName } from '../stores/account-store.ts';

const SWEEP_INTERVAL_MS = 10 * 60_000;
const TABLES = (Object.keys(ACCOUNT_TABLES) as AccountTableName[]).filter((table) =>
  ACCOUNT_TABLES[table].lookup.some((field) => field === 'expires_at'),
);

export interface SweeperOptions {
  accounts: AccountStore;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

/** Removes records whose `expires_at` is past, whatever they are: nobody is shown them meanwhile. */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: SweeperOptions) {}

  /** Sweeps now, and every ten minutes. */
  start(): void {
    this.timer ??= setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS).unref();
    void this.sweep();
  }

  /** One after the other. Never rejects: what failed is left to the next. */
  sweep(): Promise<void> {
    this.running = this.running.then(async () => {
      try {
        const now = this.options.now().toISOString();
        for (const table of TABLES) await this.options.accounts.sweep(table, 'expires_at', now);
      } catch (error) {
        this.options.log.warn({ err: error }, 'what has expired could not be removed: it is tried again');
      }
    });
    return this.running;
  }

  /** Stops once what runs has ended. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
