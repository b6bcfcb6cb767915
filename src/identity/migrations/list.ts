import type { Migration } from './migration.ts';
import { recordNames } from './record-names.ts';
import { renameEntryTypes } from './rename-entry-types.ts';

/**
 * Every migration of the account store, oldest first. Add new ones at the end only: a migration's number is its place in
 * this list, and stores with any earlier number exist.
 */
export const MIGRATIONS: readonly Migration[] = [recordNames, renameEntryTypes];
