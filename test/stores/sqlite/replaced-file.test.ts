import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreReplaced } from '../../../src/stores/errors.ts';
import { openSqliteAccountStore } from '../../../src/stores/sqlite/account-store.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection } from '../../support/run/take.ts';

/** Files that somebody replaces under a running service, mostly with an older copy. */
const test = suite<{ folder: string }>('replaced files');

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-replaced-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

async function assertReplaced(work: Promise<unknown>, finding: RegExp): Promise<void> {
  const error = await rejection(work);
  assert.instance(error, StoreReplaced, String(error));
  assert.match((error as Error).message, finding);
  assert.match((error as Error).message, /Stop the service, put the right data back, then start it again\.$/);
}

const eventsIn = async (folder: string): Promise<number> => {
  const store = openSqliteEventStore(folder);
  const streams = ['old', 'new', 'later'];
  const counts = await Promise.all(streams.map(async (stream) => (await store.readStream(stream)).length));
  await store.close();
  return counts.reduce((a, b) => a + b);
};

const REPLACEMENTS: readonly [string, (path: string) => void, RegExp][] = [
  ['the log becomes an older copy', (path) => renameSync(`${path}.copy`, path), /The file events\.db was replaced/],
  ['the log is deleted', (path) => rmSync(path), /The file events\.db was replaced, moved or deleted/],
  ['the log is moved', (path) => renameSync(path, `${path}.moved`), /The file events\.db was/],
  ['only its write-ahead log is deleted', (path) => rmSync(`${path}-wal`), /The file events\.db-wal was/],
  ['only its index of the write-ahead log is deleted', (path) => rmSync(`${path}-shm`), /The file events\.db-shm was/],
];

for (const [what, replace, finding] of REPLACEMENTS) {
  test(`appends are refused once ${what}`, async ({ folder }) => {
    const path = join(folder, 'events.db');
    const first = openSqliteEventStore(folder);
    await first.append('old', makeEvents('old'), -1);
    await first.close();
    copyFileSync(path, `${path}.copy`);
    const store = openSqliteEventStore(folder);
    await store.append('new', makeEvents('new'), -1);
    await store.check();
    replace(path);
    await assertReplaced(store.append('later', makeEvents('later'), -1), finding);
    await assertReplaced(store.check(), finding);
    assert.is((await store.readStream('new')).length, 1, 'reads still work');
    await store.close();
    assert.ok((await eventsIn(folder)) <= 2, 'the refused append is nowhere');
  });
}

test('appends are refused once the log lacks the newest known event', async ({ folder }) => {
  const store = openSqliteEventStore(folder);
  await store.append('old', makeEvents('old'), -1);
  await store.append('new', makeEvents('new'), -1);
  const other = new SqliteConnection(join(folder, 'events.db'), { synchronous: 'FULL' });
  other.run('DELETE FROM events WHERE position = 2');
  const finding = /events\.db does not have the event at store position 2 any more/;
  await assertReplaced(store.append('later', makeEvents('later'), -1), finding);
  await assertReplaced(store.check(), finding);
  other.run("INSERT INTO events SELECT 2, 'other', 0, 'other', type, data, metadata FROM events WHERE position = 1");
  await assertReplaced(store.append('later', makeEvents('later'), -1), finding);
  other.close();
  await store.close();
});

test('changes of accounts are refused once their file is replaced', async ({ folder }) => {
  const store = openSqliteAccountStore(folder);
  await store.insert('secrets', { id: 'key' });
  await store.check();
  rmSync(join(folder, 'accounts.db'));
  const finding = /The file accounts\.db was replaced/;
  await assertReplaced(store.insert('secrets', { id: 'other' }), finding);
  await assertReplaced(store.update('secrets', 'key', { value: 1 }), finding);
  await assertReplaced(store.remove('secrets', 'key'), finding);
  await assertReplaced(store.check(), finding);
  assert.equal(await store.get('secrets', 'key'), { id: 'key' });
  await store.close();
});

test.run();
