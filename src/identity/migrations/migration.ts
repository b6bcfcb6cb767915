import type { AccountStore } from '../../stores/account-store.ts';

/** One step of the account store from an earlier shape to a later one. Its number is its place in MIGRATIONS. */
export interface Migration {
  /** Says what it does, for the log: "keep the names of accounts with their dates". */
  title: string;
  /**
   * Changes every record that needs it, each by itself. It is run again where it was cut off, and may run twice at the
   * same time or on records that a later version wrote: it must leave a record alone that has the new shape.
   */
  run(accounts: AccountStore): Promise<void>;
}
