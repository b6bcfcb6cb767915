import type { AccountStore } from '../../stores/account-store.ts';
import { newerSchema, readSchema, SCHEMA_WATCH_MS } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';

interface SchemaWatchOptions {
  accounts: AccountStore;
  /** Called once, when a newer version starts to migrate the account store. `reason` says what to do. */
  onOutdated: (reason: string) => void;
  /** The highest number that this version knows. */
  newest?: number;
}

/** Watches the account store's migration number while the service runs. */
export class SchemaWatch {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SchemaWatchOptions) {}

  start(): void {
    this.timer ??= setInterval(() => void this.checkSchema(), SCHEMA_WATCH_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async checkSchema(): Promise<void> {
    const { accounts, onOutdated: outdated, newest = MIGRATIONS.length } = this.options;
    // If the store is down, the next run reads it again.
    const schema = await readSchema(accounts).catch(() => null);
    if (schema === null || schema.begun <= newest || this.timer === undefined) return;
    this.stop();
    outdated(newerSchema(schema.begun, newest));
  }
}
