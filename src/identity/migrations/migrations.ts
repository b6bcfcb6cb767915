import type { Migration } from './migration.ts';
import { renameEntryTypes } from './rename-entry-types.ts';
import { storeFirstNames } from './store-first-names.ts';

/**
 * Every migration of the account store, oldest first. Add new ones at the end only: a migration's number is its place in
 * this list, and an account store keeps the number of its last migration.
 */
export const MIGRATIONS: readonly Migration[] = [storeFirstNames, renameEntryTypes];
