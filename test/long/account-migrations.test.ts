/** Migrations of the account store, on each adapter. */
import { rmSync } from 'node:fs';
import { openMongoAccountStore } from '../../src/stores/mongodb/account-store.ts';
import { openSqliteAccountStore } from '../../src/stores/sqlite/account-store.ts';
import { accountMigrations } from '../contract/account-migrations.ts';
import { temporaryFolder } from '../support/register.ts';
import { startMongo } from '../support/stores/mongodb.ts';

const mongo = await startMongo();

accountMigrations('SQLite', async () => {
  const folder = temporaryFolder();
  const store = openSqliteAccountStore(folder);
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, close };
}).run();

if (mongo) {
  const test = accountMigrations(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const store = await openMongoAccountStore(url);
    return { store, close: () => store.close().then(close) };
  });
  test.after(mongo.close);
  test.run();
}
