import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  AccountSchemaError,
  migrateAccounts,
  readSchema,
  requireSchema,
} from '../../src/identity/migrations/migrate.ts';
import type { Migration } from '../../src/identity/migrations/migration.ts';
import { renameEntryTypes } from '../../src/identity/migrations/rename-entry-types.ts';
import { ACCOUNT_TABLES, type AccountStore, type AccountTableName } from '../../src/stores/account-store.ts';
import { withOverrides } from '../support/with-overrides.ts';

/** Migrations for tests. The first changes records. The second moves values to another table. */
const TEST_MIGRATIONS: readonly Migration[] = [
  {
    title: 'nicknames are lists',
    async run(accounts) {
      for (const { id, nick } of await accounts.all('accounts')) {
        if (typeof nick === 'string') await accounts.update('accounts', id, { nick: null, nicks: [nick] });
      }
    },
  },
  {
    title: 'nicknames are records of their own',
    async run(accounts) {
      for (const { id, nicks } of await accounts.all('accounts')) {
        if (!Array.isArray(nicks)) continue;
        for (const [n, nick] of nicks.entries()) {
          await accounts.insert('domains', { id: `${id}:${n}`, domain: String(nick) });
        }
        await accounts.update('accounts', id, { nicks: null });
      }
    },
  },
];

/** Fills the store as version 0 would: the installation and three accounts. */
async function fill(store: AccountStore): Promise<void> {
  await store.insert('secrets', { id: 'installation', value: 'i' });
  for (const n of [1, 2, 3]) await store.insert('accounts', { id: `acc_${n}`, nick: `nick ${n}`, email_key: `e${n}` });
}

/** Returns all records of a store. */
export async function contentOf(store: AccountStore): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of Object.keys(ACCOUNT_TABLES) as AccountTableName[]) {
    all[table] = (await store.all(table)).sort((a, b) => a.id.localeCompare(b.id));
  }
  return all;
}

class Killed extends Error {}

/** Returns a store whose process seems to be killed after `writes` writes: every later write throws. */
export function storeKilledAfter(store: AccountStore, writes: number): AccountStore {
  let writesLeft = writes;
  const step = async <T>(write: () => Promise<T>): Promise<T> => {
    if (writesLeft <= 0) throw new Killed();
    writesLeft -= 1;
    return write();
  };
  return withOverrides(store, {
    insert: (...args) => step(() => store.insert(...args)),
    put: (...args) => step(() => store.put(...args)),
    update: (...args) => step(() => store.update(...args)),
    remove: (...args) => step(() => store.remove(...args)),
  });
}

/**
 * Migrates the filled store of `open` once without an interruption. Then, for each write, kills the migration after it
 * and repeats it. Asserts that the content is the same each time.
 */
export async function assertRestartSafe(
  open: () => Promise<{ store: AccountStore; close(): Promise<void> }>,
  migrations?: readonly Migration[],
): Promise<number> {
  const options = { exclusive: true, ...(migrations ? { migrations } : {}) };
  const uninterrupted = await open();
  await migrateAccounts(uninterrupted.store, options);
  const expected = await contentOf(uninterrupted.store);
  await uninterrupted.close();
  for (let writes = 0; ; writes++) {
    const { store, close } = await open();
    const killed = await migrateAccounts(storeKilledAfter(store, writes), options).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return true;
      },
    );
    await migrateAccounts(store, options);
    assert.equal(await contentOf(store), expected, `killed after ${writes} writes`);
    await close();
    if (!killed) return writes;
  }
}

/** Tests migrations on an adapter. `open` returns an empty store. */
export function accountMigrations(name: string, open: () => Promise<{ store: AccountStore; close(): Promise<void> }>) {
  const test = suite(`account migrations: ${name}`);
  const fillStore = async () => {
    const opened = await open();
    await fill(opened.store);
    return opened;
  };
  const testFilled = (title: string, body: (store: AccountStore) => Promise<void>) =>
    test(title, async () => {
      const { store, close } = await fillStore();
      await body(store).finally(close);
    });
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.unreachable('should have been refused'),
      (error: unknown) => {
        if (!(error instanceof AccountSchemaError)) throw error;
        return error.message;
      },
    );

  testFilled('each migration runs once, in order, and is logged when it starts', async (store) => {
    const logged: unknown[] = [];
    const log = { info: (details: object) => logged.push(details) };
    await migrateAccounts(store, { migrations: TEST_MIGRATIONS.slice(0, 1), exclusive: true, log });
    assert.equal((await store.get('accounts', 'acc_2'))?.nicks, ['nick 2']);
    for (const _ of [1, 2]) await migrateAccounts(store, { migrations: TEST_MIGRATIONS, exclusive: true, log });
    assert.is((await store.all('domains')).length, 3);
    assert.equal(await readSchema(store), { begun: 2, done: 2 });
    assert.equal(
      logged,
      TEST_MIGRATIONS.map(({ title }, n) => ({ migration: n + 1, title })),
    );
  });

  testFilled('a new store gets the current version without a message', async (store) => {
    await store.remove('secrets', 'installation');
    const log = { info: () => assert.unreachable('nothing is migrated at a first start') };
    await migrateAccounts(store, { migrations: TEST_MIGRATIONS, exclusive: true, log });
    assert.equal(await readSchema(store), { begun: 2, done: 2 });
  });

  test('a migration killed after any write gives the same result when repeated', async () => {
    assert.ok((await assertRestartSafe(fillStore, TEST_MIGRATIONS)) > 10);
  });

  testFilled('access-log rows get the current names of their entry types', async (store) => {
    const row = (n: number, event_type: string) => ({
      id: `2026-03-0${n}~x`,
      organization_id: 'o',
      event_type,
      count: n,
    });
    for (const accessRow of [row(1, 'REPORT_DRAWN'), row(2, 'SIGNED_IN'), row(3, 'ACCOUNT_LINK_WITHDRAWN')]) {
      await store.insert('access', accessRow);
    }
    const bucket = { id: 'bucket', row_id: '2026-03-02~x', expires_at: '2026-03-04' };
    await store.insert('access', bucket);
    // A repeat of an interrupted run also meets rows that were already changed.
    for (const _ of [1, 2]) await renameEntryTypes.run(store);
    assert.equal(
      (await store.all('access')).sort((a, b) => a.id.localeCompare(b.id)),
      [row(1, 'REPORT_GENERATED'), row(2, 'SIGNED_IN'), row(3, 'ACCOUNT_LINK_REVOKED'), bucket],
    );
  });

  testFilled('instances that start together give the same result', async (store) => {
    const all = [1, 2, 3].map(() => migrateAccounts(store, { migrations: TEST_MIGRATIONS, exclusive: true }));
    await Promise.all(all);
    assert.is((await store.all('domains')).length, 3);
    assert.ok((await store.all('accounts')).every(({ nick, nicks }) => nick === null && nicks === null));
    assert.equal(await readSchema(store), { begun: 2, done: 2 });
  });

  testFilled(
    'a migration announces itself and waits before its first change, so that older instances can stop',
    async (store) => {
      let migrationStartedAt = 0;
      const run = async () => {
        migrationStartedAt = performance.now();
        assert.equal(await readSchema(store), { begun: 1, done: 0 });
      };
      const started = performance.now();
      await migrateAccounts(store, { migrations: [{ title: 'looks', run }] });
      assert.ok(
        migrationStartedAt - started > 1_900,
        'older instances read the number once a second, so the wait takes two',
      );
    },
  );

  testFilled('refuses an unknown version, even if its migration has only begun', async (store) => {
    await migrateAccounts(store, { migrations: TEST_MIGRATIONS, exclusive: true });
    const before = await contentOf(store);
    const migrations = TEST_MIGRATIONS.slice(0, 1);
    const message = await refusalOf(migrateAccounts(store, { migrations, exclusive: true }));
    assert.match(String(message), /newer version .* \(to 2, this version knows 1\)\. Run that version/);
    assert.equal(await contentOf(store), before);
    await refusalOf(requireSchema(store, 1));
    await store.update('secrets', 'schema', { done: 1 });
    await refusalOf(migrateAccounts(store, { migrations, exclusive: true }));
  });

  testFilled('commands refuse a store that needs a migration, but accept an empty one', async (store) => {
    assert.match(String(await refusalOf(requireSchema(store, 2))), /earlier version \(0, this one needs 2\)\. Start/);
    await store.remove('secrets', 'installation');
    await requireSchema(store, 2);
  });

  return test;
}
