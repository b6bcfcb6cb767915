import { keepNames } from './keep-names.ts';
import type { Migration } from './migration.ts';

/**
 * Every migration of the account store, oldest first. They are only added at the end: numbers are places in this list,
 * and stores of any earlier number exist.
 */
export const MIGRATIONS: readonly Migration[] = [keepNames];
