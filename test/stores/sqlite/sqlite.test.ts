import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionConflict, StoreUnavailable } from '../../../src/stores/errors.ts';
import { openSqliteAccountStore } from '../../../src/stores/sqlite/account-store.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { lockDataFolder } from '../../../src/stores/sqlite/lock-data-folder.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection, take } from '../../support/run/take.ts';

/** Tests of the SQLite event and account stores alone. The contracts test what all stores share. */
const test = suite('SQLite');

const TSX = createRequire(import.meta.url).resolve('tsx');
const urlOf = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-sqlite-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts another process that runs this module text. */
function otherProcess(text: string) {
  const args = ['--import', TSX, '--input-type=module', '--eval', text];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('a subscription gets the events of another process, in order with those of this one', () =>
  inFolder(async (folder) => {
    const store = openSqliteEventStore(folder);
    await store.append('ours-1', makeEvents('ours-1'), -1);
    const lockingProcess = otherProcess(`
      import { openSqliteEventStore } from ${urlOf('../../../src/stores/sqlite/event-store.ts')};
      import { makeEvents } from ${urlOf('../../support/histories/events.ts')};
      const store = openSqliteEventStore(${JSON.stringify(folder)});
      await store.append('theirs', makeEvents('theirs', { count: 3 }), -1);
      await store.close();
    `);
    const exit = once(lockingProcess, 'exit');
    const received = take((signal) => store.subscribeAll(null, signal), 5);
    await exit;
    await store.append('ours-2', makeEvents('ours-2'), -1);
    assert.equal(
      (await received).map((event) => `${event.storePosition} ${event.stream}`),
      ['1 ours-1', '2 theirs', '3 theirs', '4 theirs', '5 ours-2'],
    );
    await store.close();
  }));

test('a subscription hears at once of the commits of this process’s other stores', () =>
  inFolder(async (folder) => {
    // It looks by itself once an hour.
    const store = openSqliteEventStore(folder, { pollMs: 3_600_000 });
    const other = openSqliteEventStore(folder);
    const received = take((signal) => store.subscribeAll(null, signal), 2);
    await other.append('theirs-1', makeEvents('theirs-1'), -1);
    await other.append('theirs-2', makeEvents('theirs-2'), -1);
    assert.equal(
      (await received).map(({ stream }) => stream),
      ['theirs-1', 'theirs-2'],
    );
    await store.close();
    await other.close();
  }));

test('a subscription gets another connection’s event within a second', () =>
  inFolder(async (folder) => {
    const store = openSqliteEventStore(folder);
    const other = openSqliteEventStore(folder);
    const received = take((signal) => store.subscribeAll(null, signal), 1);
    await other.append('theirs', makeEvents('theirs'), -1);
    const appendedAt = performance.now();
    await received;
    const durationMs = performance.now() - appendedAt;
    // The store polls every 100 ms. The rest is for a busy machine.
    assert.ok(durationMs < 1_000, `${durationMs} ms`);
    await Promise.all([store.close(), other.close()]);
  }));

test('appends of one turn share a transaction, and each is checked against its own expected revision', () =>
  inFolder(async (folder) => {
    const store = openSqliteEventStore(folder);
    const before = statSync(join(folder, 'events.db-wal')).size;
    const streams = Array.from({ length: 64 }, (_, i) => `vendor-${i % 60}`);
    const outcomes = await Promise.allSettled(streams.map((stream) => store.append(stream, makeEvents(stream), -1)));
    const refusal = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.is(refusal.length, 4);
    for (const reason of refusal) assert.instance(reason, RevisionConflict);
    assert.is((await store.head(null)).newest, '60');
    // A transaction writes each changed page to the write-ahead log once, so 60 transactions would write over 60 pages.
    const pages = (statSync(join(folder, 'events.db-wal')).size - before) / 4_096;
    assert.ok(pages < 40, `${pages} pages`);
    await store.close();
  }));

test('an append to a file that stays locked fails as unavailable and writes nothing; the store then recovers', () =>
  inFolder(async (folder) => {
    const store = openSqliteEventStore(folder);
    const events = makeEvents('vendor');
    const other = new SqliteConnection(join(folder, 'events.db'), { synchronous: 'FULL' });
    other.exec('BEGIN IMMEDIATE');
    const error = await rejection(store.append('vendor', events, -1));
    assert.instance(error, StoreUnavailable);
    assert.not((error as StoreUnavailable).ambiguous);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await store.readStream('vendor'), []);
    assert.is(await store.append('vendor', events, -1), '1');
    await store.close();
  }));

test('a full file keeps all acknowledged events, and the failed append can be repeated', () =>
  inFolder(async (folder) => {
    const text = `
      import { openSqliteEventStore } from ${urlOf('../../../src/stores/sqlite/event-store.ts')};
      import { makeEvents } from ${urlOf('../../support/histories/events.ts')};
      const store = openSqliteEventStore(${JSON.stringify(folder)});
      let done = 0;
      try {
        for (; done < 1000; done++) {
          await store.append('s' + done, makeEvents('s' + done, { data: { text: 'x'.repeat(5000) } }), -1);
        }
      } catch (error) {
        console.log(done, error.name);
      }
    `;
    const limited = ['-c', 'ulimit -f 2048 && exec "$0" "$@"', process.execPath];
    const args = [...limited, '--import', TSX, '--input-type=module', '--eval', text];
    const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    const [done, name] = output.toString().trim().split(' ');
    await once(child, 'exit');
    assert.is(name, 'StoreUnavailable');
    const store = openSqliteEventStore(folder);
    const head = Number((await store.head(null)).newest);
    assert.ok(head > 0 && head >= Number(done), `${head} stored, ${done} acknowledged`);
    assert.is(await store.append('later', makeEvents('later'), -1), String(head + 1));
    await store.close();
  }));

test('a data folder refuses a second server until the first has stopped or was killed', () =>
  inFolder(async (parent) => {
    const folder = join(parent, 'data');
    const first = otherProcess(`
      import { lockDataFolder } from ${urlOf('../../../src/stores/sqlite/lock-data-folder.ts')};
      const lock = lockDataFolder(${JSON.stringify(folder)});
      console.log('locked');
      process.stdin.on('data', () => lock.release());
    `);
    await once(first.stdout, 'data');
    assert.is(statSync(folder).mode & 0o777, 0o700);
    assert.throws(() => lockDataFolder(folder), new RegExp(`in use .*process ${first.pid}.*DATA_DIR`));
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = lockDataFolder(folder);
    assert.throws(() => lockDataFolder(folder), new RegExp(`process ${process.pid}`));
    second.release();
    second.release();
    lockDataFolder(folder).release();
  }));

test('the files of accounts are readable by their owner only', () =>
  inFolder(async (folder) => {
    const store = openSqliteAccountStore(folder);
    await store.insert('secrets', { id: 'key' });
    for (const file of ['accounts.db', 'accounts.db-wal', 'accounts.db-shm']) {
      assert.is(statSync(join(folder, file)).mode & 0o777, 0o600, file);
    }
    await store.close();
  }));

test('the service sees an account change of a command at once', () =>
  inFolder(async (folder) => {
    const service = openSqliteAccountStore(folder);
    const command = openSqliteAccountStore(folder);
    await command.insert('tokens', { id: 'tok', hash: 'h' });
    assert.is((await service.find('tokens', 'hash', 'h')).length, 1);
    await command.remove('tokens', 'tok');
    assert.equal(await service.find('tokens', 'hash', 'h'), []);
    await Promise.all([service.close(), command.close()]);
  }));

test('another process that closes a shared file leaves the write-ahead log to the open connections', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'shared.db');
    const building = new SqliteConnection(path, { synchronous: 'NORMAL', building: true });
    building.exec('CREATE TABLE t (n INTEGER)');
    // A connection with prepared statements stays alive until these are garbage-collected.
    building.run('INSERT INTO t VALUES (0)');
    building.close();
    const first = new SqliteConnection(path, { synchronous: 'NORMAL' });
    const second = new SqliteConnection(path, { synchronous: 'NORMAL' });
    const count = async (): Promise<string> => {
      const other = otherProcess(`
        import { SqliteConnection } from ${urlOf('../../../src/stores/sqlite/connection.ts')};
        const other = new SqliteConnection(${JSON.stringify(path)}, { synchronous: 'NORMAL' });
        process.stdout.write(String(other.get('SELECT count(*) FROM t')[0]));
        other.close();
      `);
      const [[output]] = (await Promise.all([once(other.stdout, 'data'), once(other, 'exit')])) as [[Buffer], unknown];
      return String(output);
    };
    for (const rows of ['2', '3', '4']) {
      first.run('INSERT INTO t VALUES (1)');
      assert.is(await count(), rows);
      assert.ok(existsSync(`${path}-wal`), 'the write-ahead log is still there');
    }
    assert.is(second.get('SELECT count(*) FROM t')?.[0], 4);
    second.close();
    first.close();
  }));

test.run();
