import { setTimeout as wait } from 'node:timers/promises';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';

/** The account store cannot be used by this version as it is. `message` says what to do. */
export class AccountSchemaError extends Error {
  override readonly name = 'AccountSchemaError';
}

/** The schema record in the table `secrets`. A store without it has had no migration. */
interface AccountSchema extends AccountRecord {
  /** The highest number whose migration has started. Versions that don't know it stop. */
  begun: number;
  /** All migrations up to this number are complete. */
  done: number;
}

const SCHEMA_ID = 'schema';
/** Instances read the number this often. After twice this time, outdated ones have stopped serving. */
export const SCHEMA_WATCH_MS = 1_000;

export interface MigrateOptions {
  migrations?: readonly Migration[];
  /** True if no other instance can use this store. Then there is no wait. */
  exclusive?: boolean;
  log?: { info(details: object, message: string): void };
}

/** Returns an account store's migration numbers. */
export async function readSchema(accounts: AccountStore): Promise<{ begun: number; done: number }> {
  const schema = await accounts.get<AccountSchema>('secrets', SCHEMA_ID);
  return { begun: schema?.begun ?? 0, done: schema?.done ?? 0 };
}

/**
 * Migrates an account store to this version, one migration after another. The next call completes an interrupted one.
 * Instances that start together all do the same steps, which is harmless.
 * @throws AccountSchemaError if a newer version has migrated the store
 */
export async function migrateAccounts(accounts: AccountStore, options: MigrateOptions = {}): Promise<void> {
  const { migrations = MIGRATIONS, exclusive = false, log } = options;
  const newest = migrations.length;
  const schema = await readSchema(accounts);
  refuseNewer(schema.begun, newest);
  if (schema.done === newest) return;
  await announce(accounts, newest);
  // An older version that still runs could otherwise write records in the old shape.
  const inUse = await isInUse(accounts);
  if (!exclusive && inUse) await wait(2 * SCHEMA_WATCH_MS);
  for (const [index, migration] of migrations.entries()) {
    const number = index + 1;
    const { begun, done } = await readSchema(accounts);
    refuseNewer(begun, newest);
    if (done >= number) continue;
    // A first start has nothing to migrate, so nothing is logged.
    if (inUse) log?.info({ migration: number, title: migration.title }, 'account store: migrating');
    await migration.run(accounts);
    // Changes nothing if another instance did it first.
    await accounts.update('secrets', SCHEMA_ID, { done: number }, { done: number - 1 });
  }
}

/** Raises `begun`, which older versions watch. */
async function announce(accounts: AccountStore, newest: number): Promise<void> {
  await updateAtomically<AccountSchema>(accounts, 'secrets', SCHEMA_ID, (schema) => {
    if (schema === null) return { begun: newest, done: 0 };
    refuseNewer(schema.begun, newest);
    return schema.begun === newest ? null : { begun: newest };
  });
}

/** Returns true if this store has had its first start. */
async function isInUse(accounts: AccountStore): Promise<boolean> {
  return (await accounts.get('secrets', 'installation')) !== null;
}

/**
 * Refuses an account store of a newer or an earlier version. For commands, which don't migrate. An empty store is
 * accepted.
 * @throws AccountSchemaError
 */
export async function requireSchema(accounts: AccountStore, newest = MIGRATIONS.length): Promise<void> {
  const { begun, done } = await readSchema(accounts);
  refuseNewer(begun, newest);
  if (done === newest || !(await isInUse(accounts))) return;
  throw new AccountSchemaError(
    `The account store is of an earlier version (${done}, this one needs ${newest}). Start the service of this version ` +
      'once to migrate it.',
  );
}

/** Returns true for the record of `secrets` that holds the numbers. */
export function isSchema(record: AccountRecord): record is AccountSchema {
  return record.id === SCHEMA_ID;
}

/** @throws AccountSchemaError for a number that this version does not know */
export function refuseNewer(begun: number, newest = MIGRATIONS.length): void {
  if (begun > newest) throw new AccountSchemaError(newerSchema(begun, newest));
}

/** Says that a newer version has been here, and what to do. */
export function newerSchema(begun: number, newest: number): string {
  return (
    `A newer version of veritrail has changed the account store (to ${begun}, this version knows ${newest}). Run that ` +
    'version or a later one, or restore a backup that was made before the upgrade.'
  );
}
