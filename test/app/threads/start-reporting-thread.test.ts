import type { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReportingThread } from '../../../src/app/threads/start-reporting-thread.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';

const test = suite('starting the reporting thread');

/** The threads that this process started. */
const threads: Worker[] = [];
process.on('worker', (worker) => threads.push(worker));

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const stores = { dataDir: '/nowhere', eventStoreUrl: null, mongodbUrl: null };

function reportingThread(): ReportingThread {
  const time = new ServiceClock().shared.memory;
  return new ReportingThread({ stores, reportsDir: '/nowhere', time }, log);
}

test('a service that is stopped while it catches up starts no thread, which would keep the process alive', async () => {
  const reporting = reportingThread();
  await reporting.stop();
  reporting.start('ins_1');
  await new Promise(setImmediate);
  assert.is(threads.length, 0);
});

test.run();
