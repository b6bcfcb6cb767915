import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { openSqliteAccountStore } from '../src/stores/sqlite/account-store.ts';
import { accountStoreContract } from './contract/account-store.ts';

const test = accountStoreContract('SQLite', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  const store = openSqliteAccountStore(folder);
  const close = async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  };
  return { store, close };
});

test.run();
