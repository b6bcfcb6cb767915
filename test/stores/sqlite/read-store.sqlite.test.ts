import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as assert from 'uvu/assert';
import { openSqliteReadStore } from '../../../src/stores/sqlite/read-store.ts';
import { checkpoint, find, put, SPECS, vendor } from '../../contract/read-fixtures.ts';
import { readStoreContract } from '../../contract/read-store.ts';

const test = readStoreContract('SQLite', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  const store = openSqliteReadStore(folder);
  const close = async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  };
  return { store, close };
});

test('has all its data after it is opened again', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'veritrail-'));
  for (const n of [1, 2, 3]) {
    const store = openSqliteReadStore(folder);
    assert.is((await store.sharedEntry('count'))?.value ?? 0, n - 1);
    assert.ok(await store.compareAndSet('count', n - 1, n));
    const models = await store.open('g1', SPECS);
    await models.recover();
    await put(models, n, [vendor(`v${n}`, { score: n })]);
    assert.is((await find(models)).length, n);
    assert.equal(await models.checkpoint('org_a'), checkpoint(n));
    await store.close();
  }
  fs.rmSync(folder, { recursive: true });
});

test.run();
