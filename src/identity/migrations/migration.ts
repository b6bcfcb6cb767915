import type { AccountStore } from '../../stores/account-store.ts';

/** A change of the account store's schema. Its number is its place in MIGRATIONS. */
export interface Migration {
  /** Says what it does, for the log: "keep the names of accounts with their dates". */
  title: string;
  /**
   * Changes all records of the old shape, one by one. It runs again after an interruption, and may run twice at once or
   * on records of a later version. So it must leave records of the new shape alone.
   */
  run(accounts: AccountStore): Promise<void>;
}
