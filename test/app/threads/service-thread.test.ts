import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServiceThread } from '../../../src/app/threads/service-thread.ts';
import type { ProgramData } from '../../../src/app/threads/start-program.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { until } from '../../support/run/wait.ts';
import type { EchoMessages } from '../../support/threads/echo-thread.ts';

interface Context {
  thread: ServiceThread<EchoMessages>;
  workers: Worker[];
  notices: string[];
  logged: [level: string, message: string, details: { err?: { type: string; message: string } }][];
}

const ENTRY = new URL('../../support/threads/run-module.js', import.meta.url);
const PROGRAM = new URL('../../support/threads/echo-thread.ts', import.meta.url).href;
const WAIT_MS = 10_000;

const test = suite<Context>('service thread');

test.before.each((context) => {
  context.workers = [];
  context.notices = [];
  context.logged = [];
  const record = (level: string) => (details: object, message: string) =>
    void context.logged.push([level, message, details]);
  context.thread = new ServiceThread({
    name: 'echo',
    start: () => {
      const workerData: ProgramData = { program: PROGRAM, settings: { greeting: 'hello' } };
      const worker = new Worker(ENTRY, { workerData, execArgv: [] });
      context.workers.push(worker);
      return worker;
    },
    log: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') },
    onNotice: (notice) => context.notices.push(notice),
    onStart: () => context.notices.push('started'),
    onCrash: () => context.notices.push('crashed'),
  });
  context.thread.start();
});
test.after.each(({ thread }) => thread.stop());

test('a thread answers requests, and says why it could not', async ({ thread }) => {
  assert.is(await thread.request({ echo: 'world' }), 'hello world');
  const error = await thread.request('fail').catch((reason: unknown) => reason as Error);
  assert.equal([(error as Error).name, (error as Error).message], ['TypeError', 'asked to fail']);
  const unavailable = await thread.request('be unavailable').catch((reason: unknown) => reason);
  assert.instance(unavailable, StoreUnavailable);
});

test('notices go both ways, and the log of a thread is the service’s', async ({ thread, notices, logged }) => {
  thread.notify('look');
  await until(() => notices.includes('LOOK'), WAIT_MS);
  const [[level, message, { err }]] = logged as [Context['logged'][number]];
  assert.equal([level, message, err?.type, err?.message], ['warn', 'noticed', 'RangeError', 'look']);
});

test('an aborted request ends when the thread has ended it', async ({ thread, notices }) => {
  const caller = new AbortController();
  const answer = thread.request('wait for the abort', caller.signal).catch((reason: unknown) => reason);
  await until(() => notices.includes('waiting'), WAIT_MS);
  caller.abort('gone');
  assert.is(await answer, 'gone');
  assert.is(notices.at(-1), 'aborted');
});

for (const how of ['it exits', 'it is terminated'] as const) {
  test(`a thread that ends unexpectedly is started again: ${how}`, async ({ thread, workers, notices, logged }) => {
    const unanswered = thread.request('wait for the abort').catch((reason: unknown) => reason);
    await until(() => notices.includes('waiting'), WAIT_MS);
    if (how === 'it exits') void thread.request('end').catch(() => undefined);
    else await workers[0]!.terminate();
    assert.instance(await unanswered, StoreUnavailable);
    assert.instance(await thread.request({ echo: 'nobody' }).catch((reason: unknown) => reason), StoreUnavailable);
    await until(() => workers.length === 2, WAIT_MS);
    assert.is(await thread.request({ echo: 'again' }), 'hello again');
    assert.equal(notices, ['started', 'waiting', 'crashed', 'started']);
    assert.equal(
      logged.map(([level, message]) => [level, message]),
      [['error', 'a thread ended unexpectedly, restarting']],
    );
  });
}

test('a stopped thread has done its last work and is not started again', async ({
  thread,
  workers,
  notices,
  logged,
}) => {
  await Promise.all([thread.stop(), thread.stop()]);
  assert.is(notices.at(-1), 'stopped');
  assert.instance(await thread.request({ echo: 'nobody' }).catch((reason: unknown) => reason), StoreUnavailable);
  assert.is(workers.length, 1);
  assert.equal(logged, []);
});

test('a thread can be stopped between its end and its restart', async ({ thread, workers }) => {
  await thread.request({ echo: 'up' });
  await workers[0]!.terminate();
  await thread.stop();
  // A thread started later would keep this process alive.
  assert.is(workers.length, 1);
});

test.run();
