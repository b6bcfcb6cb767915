import type { AccountRecord } from '../../stores/account-store.ts';
import { recordFirstName } from '../accounts/account-names.ts';
import type { Migration } from './migration.ts';

/** 1: stores each account's current name as valid from the beginning. */
export const storeFirstNames: Migration = {
  title: 'keep the names of accounts with their dates',
  async run(accounts) {
    for (const { id, name } of await accounts.all<AccountRecord & { name?: string | null }>('accounts')) {
      if (typeof name === 'string') await recordFirstName(accounts, id, name);
    }
  },
};
