import type { AccountStore, AccountTableName } from '../stores/account-store.ts';

const EVERY_MS = 10 * 60_000;

/** Removes records whose `expires_at` is past: at most every ten minutes a table, for nobody is shown them meanwhile. */
export class Sweeper {
  private readonly next = new Map<AccountTableName, number>();

  constructor(private readonly parts: { accounts: AccountStore; now: () => Date }) {}

  async sweep(table: AccountTableName): Promise<void> {
    const now = this.parts.now();
    if (now.getTime() < (this.next.get(table) ?? 0)) return;
    this.next.set(table, now.getTime() + EVERY_MS);
    await this.parts.accounts.sweep(table, 'expires_at', now.toISOString());
  }
}
