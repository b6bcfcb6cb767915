import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { openSqliteReadStore } from '../src/stores/sqlite/read-store.ts';
import { readStoreContract } from './contract/read-store.ts';

const test = readStoreContract('SQLite', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  const store = openSqliteReadStore(folder);
  const close = async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  };
  return { store, close };
});

test.run();
