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

test('nothing of a record that was replaced or removed stays in the file', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  const store = openSqliteAccountStore(folder);
  const person = (n: number) => ({ id: `acc_${n}`, name: `Zelda ${n}`, email_key: `zelda${n}@a.example` });
  for (let n = 0; n < 50; n++) await store.insert('accounts', person(n));
  for (let n = 0; n < 25; n++) await store.put('accounts', { id: `acc_${n}`, erased_at: '2026-11-25' });
  for (let n = 25; n < 50; n++) await store.remove('accounts', `acc_${n}`);
  await store.close();
  assert.not.match(fs.readFileSync(path.join(folder, 'accounts.db'), 'latin1'), /zelda/i);
  fs.rmSync(folder, { recursive: true });
});

test.run();
