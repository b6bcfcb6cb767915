import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as assert from 'uvu/assert';
import { openSqliteAccountStore } from '../../../src/stores/sqlite/account-store.ts';
import { accountStoreContract } from '../../contract/account-store.ts';

const test = accountStoreContract('SQLite', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  const store = openSqliteAccountStore(folder);
  const close = async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  };
  return { store, close };
});

test('has its records after it is opened again', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  for (const round of [1, 2, 3]) {
    const store = openSqliteAccountStore(folder);
    assert.ok(await store.insert('tokens', { id: `tok_${round}`, hash: `h${round}` }));
    assert.not(await store.insert('tokens', { id: 'tok_x', hash: 'h1' }));
    assert.is((await store.all('tokens')).length, round);
    await store.close();
  }
  fs.rmSync(folder, { recursive: true });
});

test.run();
