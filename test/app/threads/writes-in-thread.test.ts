/** The thread that writes the embedded log and accounts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toSentStoreError, toStoreError } from '../../../src/app/threads/store-errors.ts';
import { writeInThread } from '../../../src/app/threads/writes-in-thread.ts';
import { monotonicMs } from '../../../src/clock/monotonic.ts';
import {
  DecisionExpired,
  DiskFull,
  RevisionConflict,
  StoreReplaced,
  StoreUnavailable,
  TooLarge,
} from '../../../src/stores/errors.ts';
import { openStores, type Stores } from '../../../src/stores/open.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { rejection } from '../../support/run/take.ts';
import { until } from '../../support/run/wait.ts';

const test = suite<{ dataDir: string; stores: Stores }>('writes in a thread');

/** The threads that this process started, oldest first. */
const threads: Worker[] = [];
process.on('worker', (worker) => threads.push(worker));

const ignore = () => undefined;
const LOG = { debug: ignore, info: ignore, warn: ignore, error: ignore };

test.before.each(async (context) => {
  context.dataDir = mkdtempSync(join(tmpdir(), 'veritrail-writes-'));
  const settings = { dataDir: context.dataDir, eventStoreUrl: null, mongodbUrl: null };
  context.stores = writeInThread(await openStores(settings), settings, LOG);
});
test.after.each(async ({ stores, dataDir }) => {
  await stores.close();
  rmSync(dataDir, { recursive: true });
});

test('writes are read at once, and a subscription gets them', async ({ stores: { events, accounts } }) => {
  const received = events.subscribeAll(null, AbortSignal.timeout(10_000))[Symbol.asyncIterator]();
  const next = received.next();
  const appended = makeEvents('vendor-1', { count: 2 });
  assert.is(await events.append('vendor-1', appended, -1, monotonicMs()), '2');
  assert.is((await events.readStream('vendor-1')).length, 2);
  assert.is(((await next).value as readonly unknown[]).length, 2);
  await received.return?.();
  assert.ok(await accounts.insert('secrets', { id: 'key', value: 'a' }));
  assert.not(await accounts.insert('secrets', { id: 'key', value: 'b' }));
  assert.ok(await accounts.update('secrets', 'key', { value: 'c' }, { value: 'a' }));
  assert.equal(await accounts.get('secrets', 'key'), { id: 'key', value: 'c' });
  await accounts.put('secrets', { id: 'key', value: 'd' });
  assert.ok(await accounts.remove('secrets', 'key'));
  assert.is(await accounts.sweep('sessions', 'expires_at', '2026'), 0);
});

test('appends of one turn keep their order', async ({ stores: { events } }) => {
  const names = Array.from({ length: 64 }, (_, index) => `vendor-${index}`);
  const batches = names.map((stream) => ({ stream, events: makeEvents(stream), expectedRevision: -1 }));
  assert.equal(
    await events.appendInOrder(batches),
    names.map((_, index) => String(index + 1)),
  );
});

test('refusals are errors of the same classes', async ({ stores: { events, accounts } }) => {
  const [event] = makeEvents('vendor-1');
  await events.append('vendor-1', [event!], -1);
  const conflict = (await rejection(events.append('vendor-1', makeEvents('vendor-1'), -1))) as RevisionConflict;
  assert.instance(conflict, RevisionConflict);
  assert.equal([conflict.name, conflict.stream, conflict.actual], ['RevisionConflict', 'vendor-1', 0]);
  const expired = await rejection(events.append('vendor-2', makeEvents('vendor-2'), -1, monotonicMs() - 5_001));
  assert.instance(expired, DecisionExpired);
  assert.not((expired as DecisionExpired).ambiguous);
  const large = makeEvents('vendor-3', { data: { text: 'x'.repeat(1_000_001) } });
  assert.instance(await rejection(events.append('vendor-3', large, -1)), TooLarge);
  assert.instance(await rejection(events.append('vendor-4', [], -1)), TypeError);
  assert.instance(await rejection(accounts.sweep('secrets', 'no such field', '')), TypeError);
});

test('the file of a store that is replaced is noticed in the thread', async ({ stores: { events }, dataDir }) => {
  await events.append('vendor-1', makeEvents('vendor-1'), -1);
  rmSync(join(dataDir, 'events.db'));
  const error = await rejection(events.append('vendor-2', makeEvents('vendor-2'), -1));
  assert.instance(error, StoreReplaced);
  assert.match((error as Error).message, /^The file events\.db was replaced, moved or deleted/);
});

test('an error keeps its cause’s code, by which a start explains a full disk', () => {
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const copy = toStoreError(structuredClone(toSentStoreError(new DiskFull('It is full.', false, { cause }))));
  assert.instance(copy, DiskFull);
  assert.equal([copy.message, (copy as DiskFull).ambiguous], ['It is full.', false]);
  assert.equal([(copy.cause as { code: string }).code, (copy.cause as Error).message], ['SQLITE_FULL', cause.message]);
});

test('a write without an answer may have been done, and the next thread writes on', async ({ stores: { events } }) => {
  await events.append('vendor-0', makeEvents('vendor-0'), -1);
  const appends = makeEvents('vendor-1');
  const terminated = threads.at(-1)!.terminate();
  const error = await rejection(events.append('vendor-1', appends, -1));
  await terminated;
  assert.instance(error, StoreUnavailable);
  assert.ok((error as StoreUnavailable).ambiguous);
  const position = await until(() => events.append('vendor-1', appends, -1).catch(() => null), 10_000, 'written again');
  assert.is(position, '2');
});

test.run();
