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
import { callTool, getJson } from '../../support/mcp/call-tool.ts';
import { rejection } from '../../support/run/take.ts';
import { startService } from '../../support/service.ts';

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

test('a service whose log was deleted tells callers and health, and serves reads', async () => {
  const service = await startService({ LOG_LEVEL: 'warn' });
  const { url, token, dataDir, organizationId: organization_id } = service;
  const add = (name: string) => callTool(url, token, 'addVendor', { organization_id, name });
  assert.is((await add('Before')).status, 200);
  rmSync(join(dataDir, 'events.db'));
  for (let count = 0; count < 3; count++) {
    const { status, body } = await add('After');
    const { message, retryable } = body.error as { message: string; retryable: boolean };
    assert.equal([status, retryable], [503, false]);
    assert.match(message, /^The service's data were replaced while it was running/);
  }
  const { body: health } = await getJson(`${url}/api/mcp/v1/health`, token);
  assert.is((health.stores as { event_store: string }).event_store, 'REPLACED');
  assert.match((health.problems as string[]).join(), /The file events\.db was replaced, moved or deleted/);
  assert.is(health.status, 'degraded');
  assert.is((await callTool(url, token, 'listVendors', { organization_id, view: 'COUNT' })).body.total, 1);
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.includes('a store failed'));
  assert.is(lines.length, 1, lines.join('\n'));
  await service.stop();
});

test.run();
